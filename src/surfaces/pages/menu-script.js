// The menu of languages goes away on Escape, back to its button, and when something else is pressed. A page may put a new
// menu in its place, so it is looked for each time.
(() => {
  const close = (isMeant) => {
    const menu = document.querySelector('.languages[open]');
    if (!menu || !isMeant(menu)) return undefined;
    menu.open = false;
    return menu;
  };
  addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') close(() => true)?.firstElementChild.focus();
  });
  addEventListener('pointerdown', ({ target }) => close((menu) => !menu.contains(target)));
})();

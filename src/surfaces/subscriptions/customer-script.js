// While a payment is waited for: looks whether the invoice is still open, and shows the page anew when it is not; copies
// the invoice.
(() => {
  const lookMillis = 3000;
  const button = document.getElementById('copy');
  const label = button.querySelector('span');
  offerCopy(button, document.getElementById('invoice'), button.dataset, (text) => {
    if (text) label.textContent = text;
  });
  async function look() {
    try {
      const answer = await fetch(location.pathname, { headers: { accept: 'application/json' }, cache: 'no-store' });
      if ((await answer.json()).invoice === null) location.reload();
    } catch {
      // The next look may do better.
    }
  }
  setInterval(look, lookMillis);
  // Who comes back from a wallet has waited long enough.
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && look());
})();

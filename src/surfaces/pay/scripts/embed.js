// Shows checkouts in frames of the merchant's page: <div data-checkout="https://…/checkout/cs_…"></div>, or
// SatlineCheckout.open(url, place). What a frame says is for the eye; confirm on your server.
(() => {
  const frames = new Map();

  function open(url, place) {
    const address = new URL(url);
    address.searchParams.set('origin', location.origin);
    const frame = document.createElement('iframe');
    frame.src = address.href;
    frame.title = 'Checkout';
    frame.allow = 'clipboard-write';
    frame.style.cssText = 'border:0;width:100%;max-width:440px;height:680px;color-scheme:normal';
    frames.set(frame, address.origin);
    place.replaceChildren(frame);
    return frame;
  }

  addEventListener('message', (event) => {
    for (const [frame, origin] of frames) {
      if (event.source !== frame.contentWindow || event.origin !== origin) continue;
      const message = event.data;
      if (message?.source !== 'checkout' || message.v !== 1) return;
      if (message.type === 'resize') frame.style.height = `${Math.min(2000, Math.max(200, message.height))}px`;
      frame.dispatchEvent(new CustomEvent(`checkout:${message.type}`, { bubbles: true, detail: { id: message.id } }));
    }
  });

  window.SatlineCheckout = { ...window.SatlineCheckout, open };
  const start = () => {
    for (const place of document.querySelectorAll('[data-checkout]')) open(place.dataset.checkout, place);
  };
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', start);
  else start();
})();

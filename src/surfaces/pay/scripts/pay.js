// Opens a checkout from a button of the merchant's page:
// <button data-product="prod_…" data-key="pk_…">, or data-amount (minor units) and data-currency; data-mode is redirect or
// iframe; data-order-ref names the purchase, data-success-url and data-cancel-url lead back.
(() => {
  const base = new URL(document.currentScript.src).origin;

  async function start(button) {
    if (button.getAttribute('aria-busy') === 'true') return;
    button.setAttribute('aria-busy', 'true');
    const { product, amount, currency, key, mode, orderRef, successUrl, cancelUrl } = button.dataset;
    const session = {
      ...(product ? { product_id: product } : { amount_cents: Number(amount), ...(currency ? { currency } : {}) }),
      checkout_mode: mode === 'iframe' ? 'iframe' : 'redirect',
      metadata: { order_ref: orderRef ?? '', source: location.hostname },
      ...(successUrl ? { success_url: successUrl } : {}),
      ...(cancelUrl ? { cancel_url: cancelUrl } : {}),
    };
    try {
      const answer = await fetch(`${base}/api/v1/pub/checkout_sessions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ checkout_session: session }),
      });
      const body = await answer.json();
      if (!answer.ok) throw new Error(body.error.details?.join('; ') ?? body.error.message);
      if (mode === 'iframe') await frame(body.checkout_url, button);
      else location.assign(body.checkout_url);
    } catch (error) {
      // Who builds the page looks there; what its visitors see is the page's own.
      console.error(`Satline checkout: ${error.message}`);
      button.dispatchEvent(new CustomEvent('checkout:error', { bubbles: true, detail: { message: error.message } }));
    } finally {
      button.removeAttribute('aria-busy');
    }
  }

  async function frame(url, button) {
    if (!window.SatlineCheckout?.open) {
      await new Promise((resolve, reject) => {
        const script = document.createElement('script');
        script.src = `${base}/js/embed.js`;
        script.onload = resolve;
        script.onerror = reject;
        document.head.append(script);
      });
    }
    const dialog = document.createElement('dialog');
    dialog.ariaLabel = 'Checkout';
    dialog.style.cssText = 'border:0;padding:0;border-radius:16px;background:transparent;width:min(440px,100vw)';
    const close = document.createElement('button');
    close.type = 'button';
    close.ariaLabel = 'Close';
    close.textContent = '\u00d7';
    close.style.cssText =
      'display:block;width:44px;height:44px;margin-inline-start:auto;border:0;border-radius:50%;background:#fff;' +
      'color:#14171f;font:24px/1 system-ui;cursor:pointer';
    close.onclick = () => dialog.close();
    const place = document.createElement('div');
    place.style.marginTop = '8px';
    dialog.append(close, place);
    document.body.append(dialog);
    dialog.addEventListener('close', () => dialog.remove());
    // A press beside the checkout puts it away, as Escape does.
    dialog.addEventListener('click', (event) => {
      if (event.target === dialog) dialog.close();
    });
    window.SatlineCheckout.open(url, place);
    // Keys that are pressed inside the frame reach nobody else.
    dialog.addEventListener('checkout:close', () => dialog.close());
    for (const type of ['paid', 'expired']) {
      dialog.addEventListener(`checkout:${type}`, (event) => {
        button.dispatchEvent(new CustomEvent(`checkout:${type}`, { bubbles: true, detail: event.detail }));
      });
    }
    dialog.showModal();
  }

  document.addEventListener('click', (event) => {
    const button = event.target.closest?.('[data-key][data-product],[data-key][data-amount]');
    if (button) {
      event.preventDefault();
      start(button);
    }
  });
})();

// While a payment is waited for: looks whether this invoice is still the one to pay, and shows the page anew when it is not;
// copies the invoice.
(() => {
  const lookMillis = 3000;
  const button = document.getElementById('copy');
  const label = button.querySelector('span');
  const shown = document.getElementById('invoice');
  offerCopy(button, shown, button.dataset, (text) => {
    if (text) label.textContent = text;
  });
  const strip = document.getElementById('offline');
  // The text comes with it: that is what a screen reader is told of.
  function online(isOnline) {
    strip.hidden = isOnline;
    strip.textContent = isOnline ? '' : strip.dataset.text;
  }
  async function look() {
    try {
      const answer = await fetch(location.pathname, { headers: { accept: 'application/json' }, cache: 'no-store' });
      online(true);
      if (!answer.ok) return;
      const { invoice } = await answer.json();
      if (invoice?.payment_request !== shown.textContent) location.reload();
    } catch {
      // The next look may do better.
      online(false);
    }
  }
  setInterval(look, lookMillis);
  addEventListener('online', look);
  addEventListener('offline', () => online(false));
  // Who comes back from a wallet has waited long enough.
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && look());
})();

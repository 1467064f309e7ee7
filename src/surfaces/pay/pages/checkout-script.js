// Looks after a checkout page: the time that is left, copying, what the server says, and the way back.
(() => {
  let boot = JSON.parse(document.getElementById('boot').textContent);
  const over = new Set(['paid', 'paid_late', 'expired', 'cancelled']);
  let events;
  let pollTimer;
  let tickTimer;
  let copyTimer;
  let endsAt = 0;
  document.documentElement.classList.add('scripted');

  const element = (id) => document.getElementById(id);
  const tell = (type, more) => {
    if (boot.parentOrigin && parent !== window) {
      parent.postMessage({ source: 'checkout', v: 1, type, id: boot.id, ...more }, boot.parentOrigin);
    }
  };
  const resize = () => tell('resize', { height: Math.ceil(document.documentElement.scrollHeight) });

  // By a clock that only counts: the payer's own may be wrong by hours.
  function countDown() {
    endsAt = performance.now() + boot.secondsLeft * 1000;
    clearInterval(tickTimer);
    if (boot.state !== 'pending') return;
    const show = () => {
      const left = Math.max(0, Math.ceil((endsAt - performance.now()) / 1000));
      const text = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
      const place = element('left');
      if (place) place.textContent = text;
      element('chip')?.classList.toggle('last', left <= 60);
      if (left === 300 || left === 60) element('spoken').textContent = text;
      if (left === 0) {
        clearInterval(tickTimer);
        look();
      }
    };
    show();
    tickTimer = setInterval(show, 1000);
  }

  async function copy() {
    const field = element('invoice');
    const button = element('copy');
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      field.select();
      document.execCommand('copy');
    }
    button.textContent = boot.copied;
    element('spoken').textContent = boot.copied;
    clearTimeout(copyTimer);
    copyTimer = setTimeout(() => {
      const now = element('copy');
      if (now) now.textContent = boot.copy;
    }, 2000);
  }

  function wire() {
    element('copy')?.addEventListener('click', copy);
    const browserWallet = element('webln');
    if (browserWallet && typeof window.webln?.sendPayment === 'function') {
      browserWallet.hidden = false;
      browserWallet.addEventListener('click', async () => {
        await window.webln.enable?.();
        await window.webln.sendPayment(boot.bolt11);
        look();
      });
    }
    for (const form of document.querySelectorAll('form[method=post]')) {
      form.addEventListener('submit', () => {
        for (const button of form.querySelectorAll('button')) button.setAttribute('aria-busy', 'true');
      });
    }
    countDown();
    resize();
    if (over.has(boot.state)) end();
  }

  function end() {
    events?.close();
    clearInterval(pollTimer);
    clearInterval(tickTimer);
    tell(boot.state === 'paid_late' ? 'paid' : boot.state);
    if (boot.state === 'paid' && boot.redirectUrl) setTimeout(() => location.assign(boot.redirectUrl), 3500);
  }

  // One renderer: the same page again, of which the new middle is taken.
  let looking = false;
  async function look() {
    if (looking || over.has(boot.state)) return;
    looking = true;
    try {
      const answer = await fetch(location.href, { headers: { accept: 'text/html' }, cache: 'no-store' });
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const fresh = page.querySelector('main[data-boot]');
      element('lost').hidden = true;
      if (fresh) swap(fresh, page.title);
    } catch {
      const strip = element('lost');
      if (strip) strip.hidden = false;
    } finally {
      looking = false;
    }
  }

  function swap(fresh, title) {
    const next = JSON.parse(fresh.dataset.boot);
    const changed = next.state !== boot.state || next.bolt11 !== boot.bolt11;
    boot = next;
    if (!changed) {
      countDown();
      return;
    }
    const change = () => {
      document.querySelector('main').replaceWith(fresh);
      document.title = title;
      wire();
      const heading = element('title');
      heading?.focus({ preventScroll: true });
      element('spoken').textContent = heading?.textContent ?? '';
    };
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (document.startViewTransition && !calm) document.startViewTransition(change);
    else change();
  }

  function follow() {
    if (over.has(boot.state)) return;
    clearInterval(pollTimer);
    pollTimer = setInterval(look, 20000);
    if (typeof EventSource === 'undefined') {
      pollTimer = setInterval(look, 4000);
      return;
    }
    events?.close();
    events = new EventSource(`${boot.base}/events`);
    let first = true;
    events.addEventListener('status', (event) => {
      const said = JSON.parse(event.data);
      element('lost').hidden = true;
      if (first && said.status === 'pending' && (said.payment_request ?? null) === boot.bolt11) {
        first = false;
        return;
      }
      first = false;
      look();
    });
    events.addEventListener('error', () => {
      clearInterval(pollTimer);
      pollTimer = setInterval(look, 4000);
    });
    events.addEventListener('open', () => {
      clearInterval(pollTimer);
      pollTimer = setInterval(look, 20000);
    });
  }

  // Whoever comes back from a wallet wants to know at once.
  addEventListener('pageshow', (event) => event.persisted && (look(), follow()));
  addEventListener('online', look);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') {
      look();
      if (!events || events.readyState === 2) follow();
    }
  });
  addEventListener('pagehide', () => events?.close());

  wire();
  follow();
  tell('ready');
})();

// What the checkout page does in the browser. All wording and all states come from the server: when the state changes the
// same page is fetched again and its <main> takes the place of ours.
(() => {
  const find = (id) => document.getElementById(id);
  const streamPath = () => `${data.path}/events`;
  const pollMillis = { streaming: 20000, alone: 4000, over: 20000, again: 1000 };
  const returnMillis = 3500;

  let data;
  let deadline = 0;
  let spoken = Number.POSITIVE_INFINITY;
  let stream;
  let pollTimer;
  let returnTimer;
  let looking = false;
  let turning = false;
  let turnAgain = false;

  // What can be told apart in an answer of /status is what the page has a picture of.
  function keyOf(status) {
    if (status.status !== 'pending') return status.status;
    if (status.held) return 'held';
    return status.payment_request ? `pending ${status.payment_request}` : 'unpayable';
  }
  const shownKey = (page = document, { state } = data) =>
    state === 'pending' ? `pending ${page.getElementById('invoice').value}` : state;
  const isOver = () => data.state === 'completed' || data.state === 'cancelled';

  function begin() {
    data = JSON.parse(find('checkout-data').textContent);
    setTime(data.secondsLeft);
    if (find('copy')) offerCopy(find('copy'), find('invoice'), data.words, say);
    find('simulate')?.addEventListener('submit', simulate);
    find('proof')?.addEventListener('submit', sendProof);
    offerBrowserWallet();
    returnSoon();
    resized.disconnect();
    resized.observe(document.querySelector('main'));
    if (isOver()) stop();
  }

  // The payer's clock may be wrong: only seconds that the server counted, and seconds that pass here.
  function setTime(secondsLeft) {
    deadline = performance.now() + secondsLeft * 1000;
    const ring = document.querySelector('.ring circle+circle');
    if (ring) ring.style.animationDelay = `${Math.min(0, secondsLeft - data.lifeSeconds)}s`;
    tick();
  }

  function tick() {
    const countdown = find('countdown');
    if (!countdown) return;
    const left = Math.max(0, Math.ceil((deadline - performance.now()) / 1000));
    countdown.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
    find('chip').classList.toggle('last', left <= 60);
    for (const minutes of [5, 1]) {
      if (left <= minutes * 60 && left > minutes * 60 - 5 && spoken > minutes) {
        spoken = minutes;
        say(data.words.minutesLeft[minutes]);
      }
    }
    if (left === 0 && !looking) look();
  }

  async function look() {
    looking = true;
    try {
      const answer = await fetch(`${data.path}/status`, { headers: { accept: 'application/json' }, cache: 'no-store' });
      if (!answer.ok) throw new Error(`${answer.status}`);
      await take(await answer.json());
      online(true);
    } catch {
      online(false);
    } finally {
      looking = false;
    }
  }

  async function take(status) {
    if (status.time_remaining !== undefined && data.state === 'pending') setTime(status.time_remaining);
    if (keyOf(status) === shownKey()) return;
    await turn();
    // The page was older than the status, or newer; which of them counts is soon known.
    if (keyOf(status) !== shownKey()) schedulePoll(pollMillis.again);
  }

  // One change at a time; what comes meanwhile is looked at afterwards.
  async function turn() {
    if (turning) {
      turnAgain = true;
      return;
    }
    turning = true;
    try {
      do {
        turnAgain = false;
        const answer = await fetch(location.href, { headers: { accept: 'text/html' }, cache: 'no-store' });
        const page = read(await answer.text());
        const told = page.getElementById('checkout-data');
        if (!told) throw new Error('no checkout');
        // The same again would only take the focus away.
        const key = shownKey(page, JSON.parse(told.textContent));
        if (key !== shownKey()) await swap(page.querySelector('main'), page.title);
      } while (turnAgain);
    } finally {
      turning = false;
    }
  }

  // Without its style, whose nonce is not the one of this page.
  function read(html) {
    return new DOMParser().parseFromString(html.replace(/<style[\s\S]*?<\/style>/, ''), 'text/html');
  }

  async function swap(next, title) {
    const { state: before } = data;
    const isToldAnew = title !== document.title;
    const change = () => {
      const main = document.querySelector('main');
      const place = stopsOf(main).indexOf(document.activeElement);
      carryOver(main, next);
      const isMenuOpen = find('languages')?.checkVisibility?.();
      main.replaceWith(next);
      if (isMenuOpen) find('languages')?.showPopover?.();
      document.title = title;
      begin();
      if (data.state === before) stopsOf(next)[place]?.focus({ preventScroll: true });
    };
    const isMoving =
      document.startViewTransition && !document.hidden && !matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (isMoving) await document.startViewTransition(change).updateCallbackDone;
    else change();
    if (data.state === before) {
      // The amount is another one.
      if (isToldAnew) say(title);
      return;
    }
    const heading = find('title');
    heading.focus({ preventScroll: true });
    scrollTo(0, 0);
    say(heading.textContent);
    tell({ held: 'detected', completed: 'paid', expired: 'expired' }[data.state]);
  }

  const stopsOf = (main) => [...main.querySelectorAll('a,button,input,summary')];

  // What the payer has opened and typed stays.
  function carryOver(main, next) {
    for (const [place, member] of [
      ['.details', 'open'],
      ['#preimage', 'value'],
    ]) {
      const [now, then] = [main.querySelector(place), next.querySelector(place)];
      if (now && then) then[member] = now[member];
    }
  }

  function say(text) {
    find('live').textContent = text;
  }

  function online(isOnline) {
    const strip = find('offline');
    if (!strip || strip.hidden === isOnline) return;
    strip.hidden = isOnline;
    say(isOnline ? '' : strip.textContent);
  }

  async function simulate(event) {
    event.preventDefault();
    const form = event.currentTarget;
    form.querySelector('button').classList.add('busy');
    try {
      await fetch(form.action, { method: 'POST', headers: { accept: 'application/json' } });
    } catch {
      // The look that follows says that there is no connection.
    } finally {
      form.querySelector('button').classList.remove('busy');
      look();
    }
  }

  async function sendProof(event) {
    event.preventDefault();
    const button = event.currentTarget.querySelector('button');
    button.classList.add('busy');
    try {
      await showProof(find('preimage').value);
    } catch {
      online(false);
    } finally {
      button.classList.remove('busy');
    }
  }

  // The shop's wallet does not tell: what the payer's wallet got for paying does.
  async function showProof(preimage) {
    const answer = await fetch(find('proof').action, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ preimage }),
    });
    if (answer.ok) return look();
    if (![422, 429].includes(answer.status)) throw new Error(`${answer.status}`);
    const fault = find('preimage-fault');
    fault.textContent = answer.status === 429 ? data.words.tooMany : data.words.wrong;
    fault.hidden = false;
    find('preimage').setAttribute('aria-invalid', 'true');
    find('preimage').focus();
  }

  // Extensions put their object there when they please.
  function offerBrowserWallet() {
    const button = find('browser-wallet');
    if (!button || typeof window.webln?.sendPayment !== 'function') return;
    button.hidden = false;
    button.onclick = async () => {
      button.classList.add('busy');
      try {
        await window.webln.enable?.();
        const { preimage } = (await window.webln.sendPayment(find('invoice').value)) ?? {};
        if (preimage && find('proof')) await showProof(preimage);
      } catch {
        // Turned down by the payer: the other ways are still there.
      } finally {
        button.classList.remove('busy');
        look();
      }
    };
  }

  // In place of this page, so that "back" leads to the shop and not to an invoice that is paid.
  function returnSoon() {
    clearTimeout(returnTimer);
    const note = find('returning');
    const wentBack = performance.getEntriesByType('navigation')[0]?.type === 'back_forward';
    if (!note || wentBack) return;
    note.hidden = false;
    returnTimer = setTimeout(() => location.replace(find('continue').href), returnMillis);
  }

  function tell(type, more) {
    if (!type || !data.parentOrigin || parent === window) return;
    parent.postMessage({ source: 'checkout', v: 1, type, id: data.id, ...more }, data.parentOrigin);
  }
  const resized = new ResizeObserver(() => tell('resize', { height: document.documentElement.offsetHeight }));

  function openStream() {
    if (stream || isOver() || data.state === 'expired' || document.hidden) return;
    stream = new EventSource(streamPath());
    stream.addEventListener('status', (event) => {
      online(true);
      take(JSON.parse(event.data)).catch(() => {
        online(false);
        schedulePoll(pollMillis.again);
      });
    });
    stream.onerror = () => {
      // Refused for good, such as where too many follow; otherwise the browser comes back by itself.
      if (stream?.readyState === EventSource.CLOSED) closeStream();
      schedulePoll();
    };
    stream.onopen = () => schedulePoll();
  }

  function closeStream() {
    stream?.close();
    stream = undefined;
  }

  function usualWait() {
    if (data.state === 'expired') return pollMillis.over;
    return stream?.readyState === EventSource.OPEN ? pollMillis.streaming : pollMillis.alone;
  }

  function schedulePoll(wait = usualWait()) {
    clearTimeout(pollTimer);
    if (isOver()) return;
    pollTimer = setTimeout(() => {
      // First, since what the look finds may want the next one sooner.
      schedulePoll();
      if (!document.hidden) look();
    }, wait);
  }

  function stop() {
    closeStream();
    clearTimeout(pollTimer);
  }

  // Phones stop the page while the wallet is in front, and a page out of history shows what was.
  async function comeBack() {
    if (document.hidden) return closeStream();
    if (isOver()) return;
    await look();
    openStream();
    schedulePoll();
  }

  begin();
  openStream();
  schedulePoll();
  tell('ready');
  setInterval(tick, 500);
  for (const delay of [300, 1500]) setTimeout(offerBrowserWallet, delay);
  document.addEventListener('visibilitychange', comeBack);
  addEventListener('pageshow', (event) => event.persisted && comeBack());
  addEventListener('online', comeBack);
  addEventListener('keydown', (event) => event.key === 'Escape' && tell('close'));
  addEventListener('offline', () => online(false));
})();

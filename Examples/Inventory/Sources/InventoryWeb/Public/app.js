// SPDX-License-Identifier: Apache-2.0
// Keeps the page up to date, opens the error dialog as a modal one, has forms judged while they are
// filled in, and sends photos. The page works without it; see
// Examples/Inventory/Documentation/Pages.md.
'use strict';

const address = () => document.body.dataset.address || location.pathname + location.search;

// The error dialog.

let opener = null;

/** Opens the dialog of the page as a modal one; `focused` gets the focus back afterwards. */
function openDialog(focused) {
  const dialog = document.getElementById('error');
  if (!dialog || dialog.matches(':modal')) return;
  opener ??= focused;
  dialog.removeAttribute('open');
  dialog.showModal();
}

function giveFocusBack() {
  if (!opener || document.getElementById('error')) return;
  const element = opener.isConnected ? opener : opener.id && document.getElementById(opener.id);
  opener = null;
  const isUsable = element && element !== document.body && !element.disabled;
  (isUsable ? element : document.getElementById('main')).focus();
}

document.addEventListener('cancel', (event) => {
  if (event.target.id !== 'error') return;
  event.preventDefault();
  event.target.querySelector('button[value=dismiss]')?.click();
}, true);

// Toasts go away by themselves, and must not take the focus with them.

let beforeToasts = null;

document.addEventListener('focusout', (event) => {
  const isLeavingFor = event.relatedTarget?.closest('#toasts');
  if (isLeavingFor && !event.target.closest('#toasts')) beforeToasts = event.target;
});

/** Gives the focus to the next toast, or back to where it was, when a toast went with it. */
function leaveToasts() {
  const next = document.querySelector('#toasts button')
    ?? (beforeToasts?.isConnected && !beforeToasts.disabled ? beforeToasts : null);
  (next ?? document.getElementById('main')).focus({ preventScroll: true });
}

// Whoever reads a toast keeps it: under the pointer, or with the focus in it.

let heldToast = null;

function holdToast() {
  const read = document.querySelector('#toasts li:is(:hover, :focus-within)')?.dataset.toast ?? null;
  if (read === heldToast) return;
  const body = new URLSearchParams();
  if (heldToast) navigator.sendBeacon(`/screen/toasts/${heldToast}/release`, body);
  if (read) navigator.sendBeacon(`/screen/toasts/${read}/hold`, body);
  heldToast = read;
}

for (const name of ['pointerover', 'focusin', 'focusout']) {
  // Where the focus goes to is known only when it has left.
  document.addEventListener(name, () => setTimeout(holdToast));
}

// What is up to date: elements with an id and data-live.

const keyOf = (node) => {
  if (node.nodeType !== Node.ELEMENT_NODE) return '';
  const { key, item, toast, error } = node.dataset;
  return node.id || key || item || toast || error || '';
};

const isLike = (one, other) => one.nodeName === other.nodeName && keyOf(one) === keyOf(other);

/**
 * Makes a node equal to another by the fewest changes, so that the focus, what is being typed, and
 * what a screen reader has already said stay as they are.
 */
function morph(node, fresh) {
  if (node.isEqualNode(fresh)) return;
  if (!isLike(node, fresh)) {
    node.replaceWith(fresh);
  } else if (node.nodeType !== Node.ELEMENT_NODE) {
    node.data = fresh.data;
  } else {
    for (const { name } of [...node.attributes]) {
      if (!fresh.hasAttribute(name)) node.removeAttribute(name);
    }
    for (const { name, value } of fresh.attributes) {
      if (node.getAttribute(name) !== value) node.setAttribute(name, value);
    }
    morphChildren(node, fresh);
  }
}

/** The node, or the first after it, that is more than space between elements. */
function solid(node) {
  while (node?.nodeType === Node.TEXT_NODE && !node.data.trim()) node = node.nextSibling;
  return node;
}

function morphChildren(node, fresh) {
  const wanted = [...fresh.childNodes].filter((child) => solid(child) === child);
  let next = solid(node.firstChild);
  for (const [index, child] of wanted.entries()) {
    let same = next;
    while (same && !isLike(same, child)) {
      // What stands later in the new page stays for that.
      const isLater = wanted.slice(index + 1).some((later) => isLike(same, later));
      same = isLater ? null : solid(same.nextSibling);
    }
    if (!same) {
      node.insertBefore(child, next);
      continue;
    }
    while (next !== same) {
      const gone = next;
      next = next.nextSibling;
      gone.remove();
    }
    next = solid(same.nextSibling);
    morph(same, child);
  }
  while (next) {
    const gone = next;
    next = next.nextSibling;
    gone.remove();
  }
}

// A button that is disabled loses the focus, and gets it back when it can be used again, unless
// something else has it by then.
let interrupted = null;

/** Takes over what is up to date from another rendering of the page. */
function take(page) {
  const focused = document.activeElement;
  const isInToast = Boolean(focused.closest('#toasts'));
  if (focused !== document.body) interrupted = null;
  for (const fresh of page.querySelectorAll('[data-live]')) {
    const current = document.getElementById(fresh.id);
    tellTimes(fresh);
    if (current) morph(current, fresh);
  }
  if (focused.disabled) interrupted = focused;
  if (isInToast && !focused.isConnected) leaveToasts();
  holdToast();
  openDialog(interrupted ?? (focused.isConnected ? focused : document.activeElement));
  giveFocusBack();
  if (interrupted && !interrupted.disabled && !opener) {
    interrupted.focus();
    interrupted = null;
  }
}

const parse = (text) => new DOMParser().parseFromString(text, 'text/html');

// An app that stands still answers nothing, and closes no connection either.
const patience = 15_000;

const refreshing = { timer: 0, isUnderWay: false, isAgain: false };

/** Fetches the page once for all that happens close together. */
function refresh() {
  refreshing.timer ||= setTimeout(async () => {
    refreshing.timer = 0;
    if (refreshing.isUnderWay) {
      refreshing.isAgain = true;
      return;
    }
    refreshing.isUnderWay = true;
    try {
      const answer = await fetch(address(), {
        headers: { Accept: 'text/html' }, signal: AbortSignal.timeout(patience),
      });
      if (answer.ok) take(parse(await answer.text()));
      // Somebody deleted it meanwhile; the page that says so takes its place.
      else if (answer.status === 404 && document.getElementById('item') && !isLeaving) {
        location.reload();
      }
    } catch (error) {
      // Where the app has gone, the stream of events says so too, and comes back with it.
      if (error.name === 'TimeoutError') {
        lost();
        refreshing.isAgain = true;
      }
    } finally {
      refreshing.isUnderWay = false;
      if (refreshing.isAgain) {
        refreshing.isAgain = false;
        refresh();
      }
    }
  }, 60);
}

function lost() {
  const banner = document.getElementById('banner');
  if (banner.dataset.isLost) return;
  banner.dataset.isLost = 'true';
  banner.replaceChildren(document.getElementById('lost').content.cloneNode(true));
}

function listen() {
  const events = new EventSource('/events');
  for (const name of ['status', 'item', 'conflict', 'toast', 'screen']) {
    events.addEventListener(name, refresh);
  }
  events.addEventListener('open', refresh);
  events.addEventListener('error', () => {
    lost();
    // The browser opens a stream again that broke, but not one that was refused.
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
  });
  addEventListener('pagehide', () => {
    events.close();
    if (heldToast) navigator.sendBeacon(`/screen/toasts/${heldToast}/release`, new URLSearchParams());
  }, { once: true });
}

// Forms whose outcome shows in what is up to date are sent without leaving the page.

let isLeaving = false;

/** Sends what a form says, for a while, and takes over the page that answers. */
async function post(action, body) {
  const answer = await fetch(action, {
    method: 'POST', body, headers: { Accept: 'text/html' }, signal: AbortSignal.timeout(patience),
  });
  const page = parse(await answer.text());
  take(page);
  if (!answer.ok) tellRefusal(page.querySelector('main'));
}

/** Says why something was refused, where the page of the answer has nothing live that would. */
function tellRefusal(main) {
  if (!main || main.querySelector('[data-live]')) return;
  const notice = document.getElementById('lost').content.cloneNode(true);
  const title = notice.querySelector('strong');
  title.textContent = main.querySelector('h1')?.textContent ?? '';
  const words = [...main.querySelectorAll('p')].map((paragraph) => paragraph.textContent);
  title.parentElement.replaceChildren(title, ` ${words.join(' ')}`);
  document.getElementById('refusal').replaceChildren(notice);
}

document.addEventListener('submit', async (event) => {
  const form = event.target;
  if (!form.matches('[data-quiet]')) {
    isLeaving = true;
    return;
  }
  event.preventDefault();
  const button = event.submitter;
  if (form.dataset.isSending) return;
  form.dataset.isSending = 'true';
  document.getElementById('refusal').replaceChildren();
  try {
    await judged();
    const body = new URLSearchParams(new FormData(form, button));
    // A button without an address of its own has that of the page.
    const action = button?.hasAttribute('formaction') ? button.formAction : form.action;
    await post(action, body);
    // What was sent and not accepted says which field has to be looked at first.
    form.querySelector('[aria-invalid][autofocus]')?.focus();
  } catch {
    lost();
    // Where the app has not gone, the page says so again.
    refresh();
  } finally {
    delete form.dataset.isSending;
  }
});

// Forms that are judged while they are filled in: the page that answers says what is wrong so far.

const judging = { timer: 0, last: Promise.resolve() };

/** Says what stands in a form, and which field was left, once all that was said before is heard. */
function judge(form, left) {
  clearTimeout(judging.timer);
  judging.last = judging.last.then(async () => {
    const body = new URLSearchParams(new FormData(form));
    if (left) body.set('left', left);
    try {
      await post(form.dataset.judge, body);
    } catch {
      lost();
      refresh();
    }
  });
}

/** Returns when nothing that was said of forms is on its way. */
function judged() {
  clearTimeout(judging.timer);
  return judging.last;
}

document.addEventListener('input', (event) => {
  const form = event.target.form;
  if (!form?.dataset.judge) return;
  clearTimeout(judging.timer);
  judging.timer = setTimeout(() => judge(form), 150);
});

// What moves away under a finger is never pressed, so nothing is said before it is.
let isPressing = false;
document.addEventListener('pointerdown', (event) => {
  isPressing = Boolean(event.target.closest('button'));
});
document.addEventListener('pointerup', () => { isPressing = false; });

document.addEventListener('focusout', (event) => {
  const form = event.target.form;
  if (!form?.dataset.judge || !event.target.name || isPressing) return;
  judge(form, event.target.name);
});

// Photos.

const photoPatience = 60_000;
let sendingPhoto = null;

/** Sends a photo; one that was chosen before, and is still on its way, is not waited for. */
async function sendPhoto(form, file) {
  const error = document.getElementById('photo-error');
  const note = document.getElementById('photo-note');
  const field = document.getElementById('photo');
  const show = (text, progress = '') => {
    error.textContent = text;
    note.textContent = progress;
    field.toggleAttribute('aria-invalid', Boolean(text));
    if (text) field.setAttribute('aria-describedby', error.id);
    else field.removeAttribute('aria-describedby');
  };
  sendingPhoto?.abort();
  const sending = new AbortController();
  sendingPhoto = sending;
  const timer = setTimeout(() => sending.abort(), photoPatience);
  show('', 'Sending the photo…');
  try {
    const answer = await fetch(form.dataset.photo, {
      method: 'PUT', body: file, signal: sending.signal,
      headers: { 'Content-Type': file.type || 'application/octet-stream' },
    });
    const problem = answer.ok ? null : await answer.json();
    if (sendingPhoto !== sending) return;
    if (problem) {
      show([problem.detail, problem.suggestion].filter(Boolean).join(' '));
      return;
    }
    form.reset();
    show('', 'The photo was kept.');
    refresh();
  } catch {
    if (sendingPhoto !== sending) return;
    show('The app could not be reached, so the photo was not kept. Try again.');
  } finally {
    clearTimeout(timer);
  }
}

document.addEventListener('change', (event) => {
  const form = event.target.closest('[data-photo]');
  if (form && event.target.files?.length) sendPhoto(form, event.target.files[0]);
});

// Times are written in UTC, and read in the zone of the reader.

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

function tellTimes(root) {
  for (const time of root.querySelectorAll('time[datetime]')) {
    time.textContent = format.format(new Date(time.dateTime));
  }
}

// A page from the browser's memory has the keys of forms that were sent.
addEventListener('pageshow', (event) => { if (event.persisted) location.reload(); });

// A scanner types at once: what it reads next takes the place of what was wrong.
document.querySelector('input[autofocus][aria-invalid]')?.select();

tellTimes(document);
openDialog(document.activeElement);
listen();

// The page works without this file; with it, taps answer without a reload, photos show their progress,
// and a game that changes on another phone changes here.
"use strict";
document.documentElement.classList.add("js");

const sameSite = (address) => new URL(address, location.href).origin === location.origin;

// Names an element so that the one in its place on the next page can be found: who uses the keyboard stays where they were.
function twinOf(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  const cell = element.querySelector("[data-cell]");
  if (cell) return `a:has([data-cell="${cell.dataset.cell}"])`;
  const name = element.matches("a") ? "href" : "value";
  return element.hasAttribute(name) ? `[${name}="${CSS.escape(element.getAttribute(name))}"]` : "main";
}

let lastAsked = 0;
let underWay = 0;

async function goTo(address, options = {}) {
  const asked = ++lastAsked;
  underWay += 1;
  try {
    const answer = await fetch(address, { ...options, headers: { Accept: "text/html" } });
    const text = await answer.text();
    // The last tap wins: an answer that comes after a newer question was asked is not shown any more.
    if (asked === lastAsked) show(text, answer.url, options.method !== "POST" || answer.redirected);
  } finally {
    underWay -= 1;
  }
}

function show(text, address, hasAddress) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const fresh = page.querySelector("main");
  const old = document.querySelector("main");
  if (!fresh || !sameSite(address)) {
    location.assign(address);
    return;
  }
  const focused = old.contains(document.activeElement) ? twinOf(document.activeElement) : null;
  const open = new Set([...old.querySelectorAll("details[open] > summary")].map((summary) => summary.textContent.trim()));
  const waiting = fresh.querySelector(".reading img");
  if (waiting && preview?.naturalWidth) waiting.src = preview.src;
  old.replaceWith(document.adoptNode(fresh));
  if (!waiting) hidePreview();
  document.title = page.title;
  for (const summary of fresh.querySelectorAll("details:not([name]) > summary")) {
    if (open.has(summary.textContent.trim())) summary.parentElement.open = true;
  }
  if (hasAddress) settle(address);
  const sheet = fresh.querySelector("[data-sheet] button");
  if (sheet) sheet.focus({ preventScroll: true });
  else if (focused) (fresh.querySelector(focused) || fresh).focus({ preventScroll: true });
  begin();
}

// Another page gets its own place in the browser's history; one that only changed keeps the place it has.
let shownPath = location.pathname;

function settle(address) {
  const { pathname, search } = new URL(address, location.href);
  history[pathname === shownPath ? "replaceState" : "pushState"](null, "", address);
  shownPath = pathname;
  document.querySelector(".language [name=back]").value = pathname + search;
}

addEventListener("popstate", () => { if (location.pathname !== shownPath) location.reload(); });

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-swift]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  goTo(link.getAttribute("href")).catch(() => location.assign(link.getAttribute("href")));
});

document.addEventListener("toggle", (event) => {
  const link = event.target.open && event.target.querySelector("a[data-unfold]");
  // A page that comes with something unfolded already shows what belongs to it.
  if (link && link.closest("details") === event.target && link.href !== location.href) link.click();
}, true);

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.matches("form[data-swift-get]")) {
    event.preventDefault();
    goTo(`${form.action}?${new URLSearchParams(new FormData(form, event.submitter))}`).catch(() => location.reload());
    return;
  }
  if (!form.matches("form[data-swift]")) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form, event.submitter));
  goTo(form.action, { method: "POST", body }).catch(() => location.reload());
});

document.addEventListener("change", (event) => {
  const field = event.target;
  if (field.matches("select[data-submit]")) field.form.requestSubmit();
  if (field.matches("input.file") && field.files.length) send(field.form, field.closest("[data-upload]"));
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") document.querySelector("[data-sheet] .close")?.click();
});

// The photo itself is shown from the moment it was chosen; a kind that this browser cannot show stays away.
let preview = null;

function showPreview(note, file) {
  hidePreview();
  preview = document.createElement("img");
  preview.alt = "";
  preview.className = "preview";
  preview.onerror = hidePreview;
  preview.src = URL.createObjectURL(file);
  note.prepend(preview);
}

function hidePreview() {
  if (!preview) return;
  URL.revokeObjectURL(preview.src);
  preview.remove();
  preview = null;
}

function send(form, area) {
  const note = area.querySelector(".progress");
  const [words, bar] = [note.querySelector("span"), note.querySelector("progress")];
  const request = new XMLHttpRequest();
  const asked = ++lastAsked;
  underWay += 1;
  note.hidden = false;
  words.textContent = note.dataset.sending;
  showPreview(note, form.querySelector("input.file").files[0]);
  request.upload.onprogress = (step) => { bar.value = (100 * step.loaded) / step.total; };
  request.upload.onload = () => { words.textContent = note.dataset.keeping; bar.removeAttribute("value"); };
  request.onload = () => {
    if (request.status < 400) {
      if (asked === lastAsked) show(request.responseText, request.responseURL, true);
      scrollTo(0, 0);
      return;
    }
    const page = new DOMParser().parseFromString(request.responseText, "text/html");
    const sentence = page.querySelector("main h1");
    words.textContent = sentence ? sentence.textContent : note.dataset.failed;
    bar.value = 0;
    hidePreview();
    form.reset();
  };
  request.onloadend = () => { underWay -= 1; };
  request.onerror = () => { words.textContent = note.dataset.failed; bar.value = 0; hidePreview(); };
  request.open("POST", form.action);
  request.send(new FormData(form));
}

// The slider of a replay: only the moment changes, so that the thumb stays in the hand.
let wanted = null;

document.addEventListener("input", (event) => {
  if (event.target.matches("[data-slider]")) showMoment(event.target.closest("[data-replay]"), Number(event.target.value));
});

document.addEventListener("click", (event) => {
  const step = event.target.closest("[data-replay] a[data-step]");
  if (!step || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  showMoment(step.closest("[data-replay]"), Number(step.dataset.step));
});

async function showMoment(replay, number) {
  const isBusy = wanted !== null;
  wanted = number;
  if (isBusy) return;
  try {
    while (wanted !== null) {
      const asked = wanted;
      const answer = await fetch(replay.dataset.replay + asked);
      if (!answer.ok) throw new Error(answer.status);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      replay.querySelector(".frame").replaceWith(document.adoptNode(page.querySelector(".frame")));
      const slider = replay.querySelector("[data-slider]");
      const last = Number(slider.max);
      if (wanted === asked) { slider.value = asked; wanted = null; }
      replay.querySelectorAll("[data-move]").forEach((link) => {
        const to = { first: 0, back: asked - 1, on: asked + 1, last }[link.dataset.move];
        const isOff = to < 0 || to > last || to === asked;
        link.classList.toggle("off", isOff);
        link.setAttribute("aria-disabled", isOff);
        link.dataset.step = Math.min(last, Math.max(0, to));
      });
      const now = replay.querySelector(".curve .now");
      if (now) now.setAttribute("transform", `translate(${(asked - Number(now.dataset.at)) * Number(now.dataset.step)} 0)`);
    }
  } catch {
    wanted = null;
    location.assign(`?at=${number}#replay`);
  }
}

// The six marks on the corner tiles: dragged with a finger, or moved with the arrow keys.
function moveCorner(handle, x, y) {
  const photo = handle.ownerSVGElement;
  const { width, height } = photo.viewBox.baseVal;
  x = Math.round(Math.min(Math.max(x, 0), width));
  y = Math.round(Math.min(Math.max(y, 0), height));
  handle.setAttribute("transform", `translate(${x} ${y})`);
  handle.setAttribute("aria-valuenow", x);
  handle.setAttribute("aria-valuetext", `${x}, ${y}`);
  const fields = handle.closest("form").querySelectorAll("[name=corner]");
  fields[handle.dataset.corner].value = `${x},${y}`;
  photo.querySelector(".hull").setAttribute("points", [...fields].map((field) => field.value).join(" "));
  const loupe = handle.closest("form").querySelector("[data-loupe]");
  const reach = Math.min(width, height) * 0.07;
  loupe.setAttribute("viewBox", `${x - reach} ${y - reach} ${2 * reach} ${2 * reach}`);
  loupe.querySelector(".cross").setAttribute("transform", `translate(${x} ${y}) scale(${reach / 60})`);
  loupe.classList.toggle("right", x < width / 2);
  loupe.toggleAttribute("hidden", false);
}

const cornerAt = (handle) => handle.getAttribute("aria-valuetext").split(",").map(Number);

function photoPoint(photo, event) {
  return new DOMPoint(event.clientX, event.clientY).matrixTransform(photo.getScreenCTM().inverse());
}

document.addEventListener("pointerdown", (event) => {
  const handle = event.target.closest?.("[data-corner]");
  if (!handle) return;
  event.preventDefault();
  handle.focus({ preventScroll: true });
  handle.setPointerCapture(event.pointerId);
  const from = photoPoint(handle.ownerSVGElement, event);
  const [x, y] = cornerAt(handle);
  const drag = (step) => {
    const to = photoPoint(handle.ownerSVGElement, step);
    moveCorner(handle, x + to.x - from.x, y + to.y - from.y);
  };
  const drop = () => {
    handle.removeEventListener("pointermove", drag);
    handle.closest("form").querySelector("[data-loupe]").toggleAttribute("hidden", true);
  };
  handle.addEventListener("pointermove", drag);
  handle.addEventListener("pointerup", drop, { once: true });
  handle.addEventListener("pointercancel", drop, { once: true });
});

document.addEventListener("keydown", (event) => {
  const handle = event.target.closest?.("[data-corner]");
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (!handle || !way) return;
  event.preventDefault();
  const step = handle.ownerSVGElement.viewBox.baseVal.width * (event.shiftKey ? 0.05 : 0.01);
  const [x, y] = cornerAt(handle);
  moveCorner(handle, x + way[0] * step, y + way[1] * step);
});

// Milliseconds between two looks at a game: what another phone does is here well within two seconds.
const LOOK = 1000;
let watching = 0;

function begin() {
  const waiting = document.querySelector("[data-waiting]");
  if (waiting) fetch(waiting.dataset.waiting).then(() => goTo(location.href), () => setTimeout(begin, 1000));
  clearInterval(watching);
  const live = document.querySelector("main[data-live]");
  if (live) watching = setInterval(() => look(live), LOOK);
}

let isLooking = false;

async function look(live) {
  if (document.hidden || isLooking || underWay) return;
  isLooking = true;
  try {
    const answer = await fetch(live.dataset.live);
    const number = (await answer.text()).trim();
    if (!answer.ok || number === live.dataset.seen || !live.isConnected || underWay) return;
    // Someone who is in the middle of entering something is told, not interrupted.
    const told = document.querySelector("[data-changed]");
    if (document.querySelector("[data-sheet], [data-draft]")) { if (told) told.hidden = false; } else goTo(location.href);
  } catch {
    // the table's computer is away; the next look may find it
  } finally {
    isLooking = false;
  }
}

begin();

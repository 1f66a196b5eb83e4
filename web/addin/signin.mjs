/** Signing in: the person approves this pane in their browser (RFC 8628), or pastes a key. */
import { announce, fill, h } from "../ui/dom.mjs";
import { SignedOut, sameUser, sleep } from "../ui/api.mjs";
import { text } from "../ui/text.mjs";

const words = {
  signIn: "Sign in",
  signInTitle: "Sign in to Mooring",
  signInWhy: "Reports are shown with your own rights. You approve this pane once, in your browser; no password is typed here.",
  signInAgain: "Your sign-in has ended. Sign in again, and what you were doing goes on.",
  codeIs: "Your code",
  codeWhere: "Open this page, check that it shows the same code, and approve:",
  codeOpen: "Open the page",
  codeCopy: "Copy the code",
  codeCopied: "The code is copied.",
  codeWaiting: (/** @type {string} */ left) => `Waiting for your approval… ${left} left`,
  codeExpired: "The code has expired.",
  codeDenied: "The request was denied.",
  codeAgain: "Get another code",
  haveKey: "Use a key instead",
  key: "Key",
  keyWhy: "A key made by “mooring key create”. It stays on this device.",
  keyUse: "Use this key",
  keyRefused: "This key is not valid here, or has ended.",
};

/** @typedef {import("./shapes.mjs").Pane} Pane */

/** @param {Pane} pane */
export function screen(pane) {
  return h(
    "section",
    { class: "screen", "aria-label": words.signIn },
    form(pane, words.signInWhy, () => pane.open().catch(pane.fail)),
  );
}

/**
 * The token has ended while something was going on: resolves when the person has signed in again, and it goes on. For another person the
 * pane begins anew: nothing that the first one read, or was doing, is theirs.
 * @param {Pane} pane
 */
export async function signInAgain(pane) {
  const { me } = pane.store.state;
  if (!(await signInDialog(pane))) {
    pane.signOut();
    throw new SignedOut();
  }
  if (!me || (await isStill(pane, me))) return;
  pane.store.set({ me: null, blocks: [], loaded: false, link: null });
  pane.open().catch(pane.fail);
  throw new SignedOut();
}

/**
 * Whether who is signed in is who was. Asked past the renewal of tokens, which waits for this.
 * @param {Pane} pane
 * @param {import("./shapes.mjs").Me} me
 */
async function isStill({ session, api }, me) {
  const token = session.tokens?.access ?? "";
  const answer = await api.insist("GET", "/me", { token });
  return answer.ok && sameUser(me, await answer.json());
}

/**
 * Asks for another sign-in over what is shown, and resolves to whether there is one.
 * @param {Pane} pane
 * @returns {Promise<boolean>}
 */
function signInDialog(pane) {
  return new Promise((resolve) => {
    const dialog = h(
      "dialog",
      {
        "aria-label": words.signInTitle,
        onclose: () => {
          dialog.remove();
          resolve(Boolean(pane.session.tokens));
        },
      },
      form(pane, words.signInAgain, () => dialog.close()),
      h("button", { class: "plain", onclick: () => dialog.close() }, text.signOut),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}

/**
 * @param {Pane} pane
 * @param {string} why
 * @param {() => void} done
 */
function form(pane, why, done) {
  const place = h("div", { class: "card" });
  const begin = h(
    "button",
    {
      class: "primary",
      onclick: () =>
        pair(pane, place, done).catch((error) => {
          start();
          pane.fail(error);
        }),
    },
    words.signIn,
  );
  const start = () => fill(place, h("h2", { tabindex: -1 }, words.signInTitle), h("p", {}, why), begin, keyForm(pane, done));
  start();
  return place;
}

/**
 * Shows a code and waits until it is approved.
 * @param {Pane} pane
 * @param {HTMLElement} place
 * @param {() => void} done
 */
async function pair(pane, place, done) {
  const { kind } = pane.port;
  const name = pane.store.state.document.name;
  const asked = await pane.api.pairing("/device/code", {
    client_name: [kind === "none" ? text.product : kind, name].filter(Boolean).join(", "),
  });
  if (asked.error) throw new Error(asked.error_description ?? asked.error);
  const ends = Date.now() + asked.expires_in * 1000;
  const left = h("p", { class: "muted" });
  const address = asked.verification_uri_complete ?? `${asked.verification_uri}?user_code=${encodeURIComponent(asked.user_code)}`;
  const open = h("a", { href: address, target: "_blank", rel: "noopener" }, words.codeOpen);
  fill(
    place,
    h("h2", { tabindex: -1 }, words.codeIs),
    h("p", { class: "code" }, asked.user_code),
    h("p", {}, words.codeWhere),
    h("p", { class: "link muted" }, asked.verification_uri),
    h("div", { class: "choices" }, open, h("button", { onclick: () => copy(asked.user_code).catch(pane.fail) }, words.codeCopy)),
    left,
  );
  open.focus();
  announce(`${words.codeIs}: ${asked.user_code}`);
  const tick = setInterval(() => {
    left.textContent = words.codeWaiting(minutes(ends - Date.now()));
  }, 1000);
  left.textContent = words.codeWaiting(minutes(ends - Date.now()));
  try {
    const fault = await poll(pane, asked, place);
    if (!fault) return done();
    const again = h("button", { class: "primary", onclick: () => pair(pane, place, done).catch(pane.fail) }, words.codeAgain);
    fill(place, h("h2", { tabindex: -1 }, words.signInTitle), h("p", { role: "alert" }, fault), again);
    again.focus();
  } finally {
    clearInterval(tick);
  }
}

/**
 * Asks for the tokens until there are some, and keeps them; or returns why there will be none.
 * @param {Pane} pane
 * @param {{device_code: string, interval?: number}} asked
 * @param {HTMLElement} place
 * @returns {Promise<string>}
 */
async function poll(pane, asked, place) {
  let interval = asked.interval ?? 5;
  for (;;) {
    await sleep(interval * 1000);
    if (!place.isConnected) return words.codeExpired; // the person has turned away
    const answer = await pane.api.token({ grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: asked.device_code });
    if (answer.access_token) {
      pane.session.keep(answer);
      return "";
    }
    if (answer.error === "slow_down") interval += 5;
    else if (answer.error === "access_denied") return words.codeDenied;
    else if (answer.error !== "authorization_pending") return words.codeExpired;
  }
}

/** @param {string} code */
async function copy(code) {
  await navigator.clipboard.writeText(code);
  announce(words.codeCopied);
}

/** @param {number} ms */
function minutes(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/**
 * @param {Pane} pane
 * @param {() => void} done
 */
function keyForm(pane, done) {
  const key = h("input", { type: "password", autocomplete: "off", "aria-describedby": "key-why", required: true });
  const refused = h("p", { class: "bad", role: "alert" });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const answer = await pane.api.send("GET", "/me", { token: key.value.trim() });
    if (!answer?.ok) return void (refused.textContent = answer ? words.keyRefused : text.awayNow);
    const { expiresAt } = await answer.json();
    pane.session.tokens = { access: key.value.trim(), expires: Date.parse(expiresAt) };
    done();
  };
  return h(
    "details",
    {},
    h("summary", {}, words.haveKey),
    h(
      "form",
      { onsubmit: submit },
      h("label", { class: "field" }, h("span", {}, words.key), key),
      h("p", { class: "hint", id: "key-why" }, words.keyWhy),
      refused,
      h("button", {}, words.keyUse),
    ),
  );
}

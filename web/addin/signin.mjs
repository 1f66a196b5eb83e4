/** Signing in: the person approves this pane in their browser (RFC 8628), or pastes a key. */
import { announce, fill, h } from "../ui/dom.mjs";
import { sleep } from "../ui/api.mjs";
import { text } from "../ui/text.mjs";

/** @typedef {import("./pane.mjs").Pane} Pane */

/** @param {Pane} pane */
export function screen(pane) {
  return h(
    "section",
    { class: "screen", "aria-label": text.signIn },
    form(pane, text.signInWhy, () => pane.open().catch(pane.fail)),
  );
}

/**
 * Asks for another sign-in over what is shown, and resolves to whether there is one.
 * @param {Pane} pane
 * @returns {Promise<boolean>}
 */
export function signInDialog(pane) {
  return new Promise((resolve) => {
    const dialog = h(
      "dialog",
      {
        "aria-label": text.signInTitle,
        onclose: () => {
          dialog.remove();
          resolve(Boolean(pane.session.tokens));
        },
      },
      form(pane, text.signInAgain, () => dialog.close()),
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
    text.signIn,
  );
  const start = () => fill(place, h("h2", { tabindex: -1 }, text.signInTitle), h("p", {}, why), begin, keyForm(pane, done));
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
  const open = h("a", { href: address, target: "_blank", rel: "noopener" }, text.codeOpen);
  fill(
    place,
    h("h2", { tabindex: -1 }, text.codeIs),
    h("p", { class: "code" }, asked.user_code),
    h("p", {}, text.codeWhere),
    h("p", { class: "link muted" }, asked.verification_uri),
    h("div", { class: "choices" }, open, h("button", { onclick: () => copy(asked.user_code).catch(pane.fail) }, text.codeCopy)),
    left,
  );
  open.focus();
  announce(`${text.codeIs}: ${asked.user_code}`);
  const tick = setInterval(() => {
    left.textContent = text.codeWaiting(minutes(ends - Date.now()));
  }, 1000);
  left.textContent = text.codeWaiting(minutes(ends - Date.now()));
  try {
    const fault = await poll(pane, asked, place);
    if (!fault) return done();
    const again = h("button", { class: "primary", onclick: () => pair(pane, place, done).catch(pane.fail) }, text.codeAgain);
    fill(place, h("h2", { tabindex: -1 }, text.signInTitle), h("p", { role: "alert" }, fault), again);
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
    if (!place.isConnected) return text.codeExpired; // the person has turned away
    const answer = await pane.api.token({ grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: asked.device_code });
    if (answer.access_token) {
      pane.session.keep(answer);
      return "";
    }
    if (answer.error === "slow_down") interval += 5;
    else if (answer.error === "access_denied") return text.codeDenied;
    else if (answer.error !== "authorization_pending") return text.codeExpired;
  }
}

/** @param {string} code */
async function copy(code) {
  await navigator.clipboard.writeText(code);
  announce(text.codeCopied);
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
    if (!answer?.ok) return void (refused.textContent = answer ? text.keyRefused : text.awayNow);
    const { expiresAt } = await answer.json();
    pane.session.tokens = { access: key.value.trim(), expires: Date.parse(expiresAt) };
    done();
  };
  return h(
    "details",
    {},
    h("summary", {}, text.haveKey),
    h(
      "form",
      { onsubmit: submit },
      h("label", { class: "field" }, h("span", {}, text.key), key),
      h("p", { class: "hint", id: "key-why" }, text.keyWhy),
      refused,
      h("button", {}, text.keyUse),
    ),
  );
}

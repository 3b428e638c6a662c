/** Nonce of this page, which our Content-Security-Policy requires on every style element. */
export const styleNonce =
  document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";

// Libraries that lock the page's scroll read the nonce from here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });

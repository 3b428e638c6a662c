/** What our Content-Security-Policy asks of every style element: the nonce of this very page. */
export const styleNonce =
  document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";

// Libraries that lock the page's scroll take it from here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });

/** A page of another company's sign-in. @param body HTML */
export function consentPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>body{font:16px/1.5 system-ui;max-width:34rem;margin:3rem auto;padding:0 1rem}
label{display:block;padding:.3rem 0}button{font:inherit;padding:.4rem 1rem}</style></head>
<body>${body}</body></html>
`;
}

/** The text as HTML shows it. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/gu, (sign) => `&#${sign.codePointAt(0)};`);
}

import type { LoaderConfig } from "../../core/model/widget-files.ts";

const fonts: Record<LoaderConfig["look"]["font"], string> = {
  system: "system-ui,-apple-system,'Segoe UI',Roboto,sans-serif",
  serif: "Georgia,'Times New Roman',serif",
  rounded: "ui-rounded,'SF Pro Rounded',Nunito,system-ui,sans-serif",
  mono: "ui-monospace,'SF Mono',Menlo,Consolas,monospace",
};

/**
 * Style sheet of the launcher. `!important` within `:host` wins over `!important` of the site, so that
 * no rule of the site reaches the launcher.
 */
export function styleSheet({ accent, onAccent, look }: LoaderConfig): string {
  const side = look.corner;
  return `
:host{all:initial!important;display:block!important;position:static!important;visibility:visible!important;opacity:1!important;contain:none!important}
:host([hidden]){display:none!important}
*{box-sizing:border-box;font-family:${fonts[look.font]}}
button{font:inherit;border:0;cursor:pointer;-webkit-tap-highlight-color:transparent}
.launcher,.frame,.greeting{position:fixed;z-index:2147483000;${side}:calc(20px + env(safe-area-inset-${side}))}
.launcher{bottom:calc(20px + env(safe-area-inset-bottom));display:flex;align-items:center;justify-content:center;gap:10px;min-width:56px;height:56px;padding:0 16px;border-radius:${Math.max(look.radius, 12)}px;background:${accent};color:${onAccent};font-size:15px;font-weight:600;line-height:1;box-shadow:0 1px 2px #0003,0 8px 24px #0003;transition:transform .16s,box-shadow .16s}
.launcher.round{padding:0;border-radius:28px}
.launcher:hover{transform:translateY(-1px);box-shadow:0 2px 4px #0003,0 12px 28px #0004}
.launcher:active{transform:none}
:focus-visible{outline:3px solid ${accent};outline-offset:3px;box-shadow:0 0 0 3px #fff}
svg{width:26px;height:26px;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round;flex:none}
.badge{position:absolute;top:-5px;inset-inline-end:-5px;min-width:22px;height:22px;padding:0 6px;border-radius:11px;background:#c92a2a;color:#fff;font-size:12px;font-weight:700;line-height:22px;text-align:center;box-shadow:0 0 0 2px #fff}
.frame{bottom:calc(90px + env(safe-area-inset-bottom));width:392px;max-width:calc(100vw - 40px);height:min(680px,calc(100vh - 114px));height:min(680px,calc(100dvh - 114px));border:0;border-radius:${look.radius}px;background:#fff;box-shadow:0 0 0 1px #0000000f,0 4px 12px #0000001a,0 24px 64px #00000038;color-scheme:normal;transform-origin:bottom ${side};animation:in .2s cubic-bezier(.2,.8,.2,1)}
.dark .frame{background:#17181c}
.frame.full{inset:0;top:var(--top,0);bottom:auto;width:100%;max-width:none;height:var(--height,100dvh);border-radius:0;animation:none}
.greeting{bottom:calc(90px + env(safe-area-inset-bottom));display:flex;align-items:flex-start;max-width:min(320px,calc(100vw - 40px));border-radius:${look.radius}px;background:#fff;color:#1d1f24;box-shadow:0 0 0 1px #0000000f,0 8px 32px #0000002e;animation:in .24s cubic-bezier(.2,.8,.2,1)}
.greeting button{background:none;color:inherit;border-radius:inherit}
.words{padding:14px 16px;font-size:15px!important;line-height:1.45!important;text-align:start;white-space:pre-line;overflow-wrap:anywhere}
.dismiss{flex:none;width:36px;height:36px;margin:4px;display:grid;place-items:center}
.dismiss svg{width:16px;height:16px}
.dark .greeting{background:#23252b;color:#f1f3f5}
[hidden]{display:none!important}
@keyframes in{from{opacity:0;transform:translateY(10px) scale(.98)}}
@media (prefers-reduced-motion:reduce){*{animation:none!important;transition:none!important}}
@media (forced-colors:active){.launcher,.greeting,.frame{border:2px solid}}
@media print{:host{display:none!important}}`;
}

/**
 * The look of the widget's panel.
 *
 * Belongs here: its style sheet, and colours from the accent. Not here: the button's (launcher.js). Guarantee: text in the
 * accent has a contrast of at least 4.5 on the panel, in light and dark; nothing of the page's styles comes in.
 */

export const look = `
.frame,.frame *{box-sizing:border-box}
.frame{--ground:light-dark(#fff,#151c1f);--sunken:light-dark(#f1f5f5,#20292d);--line:light-dark(#d9e2e2,#334147);
--ink:light-dark(#15211f,#e7eeee);--soft:light-dark(#4c5f5f,#a9babc);--bad:light-dark(#a62a22,#ff9d92);
--bad-soft:light-dark(#fdeeec,#3f1d1a);--mark:light-dark(#fff0a8,#5d4c00);--text:light-dark(var(--accent-day),var(--accent-night));
display:flex;flex-direction:column;margin:0;padding:0;border:1px solid var(--line);border-radius:16px;overflow:hidden;
background:var(--ground);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;
text-align:start;overflow-wrap:anywhere}
dialog.frame{position:fixed;inset:auto;right:20px;bottom:20px;inline-size:420px;block-size:min(680px,calc(100dvh - 40px));
max-inline-size:none;max-block-size:none;box-shadow:0 2px 6px rgb(0 0 0/12%),0 24px 64px rgb(0 0 0/28%)}
:host([position=bottom-left]) dialog.frame{right:auto;left:20px}
dialog.frame:not([open]){display:none}
dialog::backdrop{background:rgb(8 20 22/28%)}
div.frame{block-size:100%;min-block-size:420px}
:host([mode=inline]){block-size:100%}
.head{display:flex;align-items:center;gap:4px;padding:10px 10px 10px 18px;background:var(--accent);color:var(--on-accent)}
.head:dir(rtl){padding:10px 18px 10px 10px}
h2,h3,h4,p,ul,ol,blockquote{margin:0}
h2{flex:1;font-size:16px;font-weight:650;line-height:1.3}
button,textarea{font:inherit;color:inherit}
button{cursor:pointer}
.tool{display:inline-grid;place-items:center;min-inline-size:40px;block-size:40px;padding:0 8px;border:0;border-radius:8px;background:none;font-size:14px}
.tool:hover{background:color-mix(in srgb,currentColor 16%,transparent)}
:focus-visible{outline:3px solid var(--text);outline-offset:1px}
.head :focus-visible{outline-color:currentColor;outline-offset:-3px}
.log{flex:1;overflow-y:auto;overscroll-behavior:contain;padding:18px;display:flex;flex-direction:column;gap:22px}
.log:focus-visible{outline-offset:-3px}
.greeting{color:var(--soft);font-size:16px;text-wrap:pretty}
.turn{display:flex;flex-direction:column;gap:12px}
.turn h3{align-self:flex-end;max-inline-size:88%;padding:8px 14px;border-radius:14px;border-end-end-radius:4px;background:var(--sunken);
font-size:15px;font-weight:500;line-height:1.45;white-space:pre-line}
.stage{display:flex;align-items:center;gap:10px;color:var(--soft);font-size:14px}
.stage[hidden]{display:none}
.stage i{inline-size:9px;block-size:9px;border-radius:50%;background:var(--text)}
.below:empty{display:none}
.answer,.below{display:flex;flex-direction:column;gap:10px}
.block>*+*{margin-block-start:10px}
.block :is(h1,h2,h3,h4,h5,h6){align-self:auto;max-inline-size:none;padding:0;background:none;font-size:16px;font-weight:650}
.block :is(ul,ol){padding-inline-start:1.4em}
.block pre,.wide{overflow-x:auto;padding:10px 12px;border-radius:8px;background:var(--sunken);font-size:13px}
.block code{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.92em}
.block table{border-collapse:collapse}
.block :is(th,td){padding:4px 10px;border:1px solid var(--line);text-align:start}
.block blockquote{padding-inline-start:12px;border-inline-start:3px solid var(--line)}
.quoted{font-size:14px}
.unsupported{text-decoration:underline dotted 2px var(--soft);text-underline-offset:.2em}
.frame a{color:var(--text);text-underline-offset:.18em}
.cite{display:inline-grid;place-items:center;min-inline-size:22px;block-size:22px;margin-inline:2px;padding:0 5px;border:0;border-radius:7px;
background:color-mix(in srgb,var(--text) 12%,var(--ground));color:var(--text);font-size:12px;font-weight:650;line-height:1;vertical-align:1px}
.cite:hover,.cite[aria-expanded=true]{background:var(--text);color:var(--ground)}
.passage{margin-block:2px;padding:12px 14px;border-radius:10px;background:var(--sunken);font-size:14px;display:flex;flex-direction:column;gap:6px}
.passage p{max-block-size:210px;overflow-y:auto;white-space:pre-line}
mark{background:var(--mark);color:inherit;border-radius:2px}
small{display:block;color:var(--soft);font-size:13px}
h4{font-size:13px;font-weight:650;color:var(--soft)}
[role=list]{list-style:none;padding:0;display:flex;flex-direction:column;gap:8px;margin-block-start:8px}
.sources{padding-block-start:10px;border-block-start:1px solid var(--line);font-size:14px}
.sources li{display:flex;gap:8px;align-items:baseline}
.sources .passage{order:1}
.sources ul:has(.passage) .passage{margin-inline-start:0}
.results li{padding:10px 12px;border:1px solid var(--line);border-radius:10px;font-size:14px}
.results p{margin-block-start:4px}
.note{color:var(--soft);font-size:14px}
.bad{padding:10px 14px;border-radius:10px;background:var(--bad-soft);color:var(--bad)}
.votes{display:flex;align-items:center;gap:8px;font-size:14px;color:var(--soft)}
.vote,.small{min-block-size:32px;padding:2px 14px;border:1px solid var(--line);border-radius:16px;background:none;color:var(--ink);font-size:14px}
.vote:hover,.small:hover{border-color:var(--text)}
.vote[aria-pressed=true]{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
.wrong{display:flex;gap:8px;align-items:end;margin-block-start:8px}
textarea{flex:1;min-inline-size:0;padding:10px 12px;border:1px solid light-dark(#7d8f91,#71868c);border-radius:12px;background:var(--ground);
resize:none;line-height:1.45;field-sizing:content;max-block-size:132px}
textarea::placeholder{color:var(--soft);opacity:1}
.ask{display:flex;gap:8px;align-items:end;padding:12px 14px 6px;border-block-start:1px solid var(--line)}
.send{flex:none;display:grid;place-items:center;inline-size:44px;block-size:44px;padding:0;border:0;border-radius:12px;background:var(--accent);color:var(--on-accent)}
.send:hover{filter:brightness(1.1)}
.foot{padding:0 16px 10px;color:var(--soft);font-size:12px}
.hidden{position:absolute;inline-size:1px;block-size:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:560px){
dialog.frame{inset:0;inline-size:100%;block-size:100dvh;border:0;border-radius:0}
:host([position=bottom-left]) dialog.frame{left:0}
textarea{font-size:16px}
.vote,.small,.tool{min-block-size:44px}
.vote{min-inline-size:64px;border-radius:22px}
}
@media (pointer:coarse){.cite{min-inline-size:28px;block-size:28px;border-radius:9px}}
@media (forced-colors:active){.cite,.send,.vote[aria-pressed=true]{border:1px solid}}
@media (prefers-reduced-motion:no-preference){
.stage i{animation:beat 1.1s ease-in-out infinite}
@keyframes beat{50%{opacity:.25;transform:scale(.7)}}
dialog[open]{animation:rise .18s ease-out}
@keyframes rise{from{opacity:0;transform:translateY(12px)}}
}`;

/** The colours of an accent and a theme, as a style sheet. */
export function themed(accent, theme) {
  const scheme = theme === "light" || theme === "dark" ? theme : "light dark";
  const own = /^#[0-9a-f]{6}$/i.test(accent) ? accent : "#0b6b72";
  return `.frame{color-scheme:${scheme};--accent-day:${readable(own, [255, 255, 255])};--accent-night:${readable(own, [32, 41, 45])}}`;
}

/** The colour, made darker or lighter until it can be read on a ground. */
function readable(colour, ground) {
  const [towards, wanted] = [luminance(ground) > 0.5 ? 0 : 255, 5.6]; // more than 4.5, for tinted grounds
  const parts = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  for (let share = 0; share <= 1; share += 0.04) {
    const mixed = parts.map((part) => Math.round(part + (towards - part) * share));
    const [low, high] = [luminance(mixed), luminance(ground)].toSorted((one, other) => one - other);
    if ((high + 0.05) / (low + 0.05) >= wanted) return `rgb(${mixed.join(" ")})`;
  }
  return towards ? "#fff" : "#000";
}

function luminance(parts) {
  const [red, green, blue] = parts.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

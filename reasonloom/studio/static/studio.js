// Light or dark, and the keys: nothing here knows what a page shows.
(() => {
  const lasts = 365 * 24 * 3600;
  const base = "/studio";
  const places = { h: "/", s: "/sessions", r: "/runs", g: "/graphs", p: "/ponder", m: "/memory", t: "/history", b: "/models", e: "/evals" };
  let waiting = 0;

  const light = () => {
    const dark = !document.body.classList.contains("body--dark");
    document.cookie = `studio_light=${dark ? "dark" : "light"}; path=${base}; max-age=${lasts}; samesite=strict`;
    window.setDark(dark);
  };

  const typing = (element) => element.closest("input, textarea, select, [contenteditable]");

  const help = () => {
    const dialog = document.createElement("dialog");
    dialog.className = "studio-keys";
    dialog.setAttribute("aria-label", "Keys");
    const keys = [["/", "search"], ["l", "light or dark"], ["g s", "sessions"], ["g r", "runs"], ["g g", "graphs"], ["g p", "ponder"],
      ["g m", "memory"], ["g t", "history"], ["g b", "mental models"], ["g e", "evals"], ["?", "these keys"], ["Esc", "close"]];
    for (const [key, does] of keys) {
      const line = document.createElement("p");
      const sign = document.createElement("kbd");
      sign.textContent = key;
      line.append(sign, ` ${does}`);
      dialog.append(line);
    }
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  };

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-studio=light]")) light();
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    const there = Date.now() < waiting ? places[event.key] : undefined;
    waiting = event.key === "g" && !there ? Date.now() + 1500 : 0;
    if (there) location.assign(base + there);
    else if (event.key === "l") light();
    else if (event.key === "?") help();
    else if (event.key === "/") {
      const search = document.querySelector("input[type=search]");
      if (search) { search.focus(); event.preventDefault(); }
    }
  });
})();

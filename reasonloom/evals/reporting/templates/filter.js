(() => {
  const filter = document.getElementById("filter");
  const words = document.getElementById("words");
  const way = document.getElementById("way");
  const found = document.getElementById("found");
  const rows = [...document.querySelectorAll("table.items tbody tr")];
  const texts = rows.map((row) => row.textContent.toLowerCase());

  const show = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, place) => {
      const fits = (!way.value || row.dataset.way.split(" ").includes(way.value))
        && wanted.every((word) => texts[place].includes(word));
      row.hidden = !fits;
      shown += fits;
    });
    found.textContent = `${shown} of ${rows.length} items`;
  };
  words.addEventListener("input", show);
  way.addEventListener("change", show);
  filter.hidden = false;
  show();

  const open = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target instanceof HTMLDetailsElement) target.open = true;
  };
  addEventListener("hashchange", open);
  open();

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    closed.forEach((each) => { each.open = true; });
  });
  addEventListener("afterprint", () => closed.forEach((each) => { each.open = false; }));
})();

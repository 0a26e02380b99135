"""The few lines of behaviour: what is looked at is told, arrows go from tick to tick, a band opens its bill.

Without it the page still shows everything but the tips: the axis is switched and bills are opened by HTML alone.
"""

SCRIPT = """\
(() => {
  const tip = document.getElementById("tip");
  const shown = () => [...document.querySelectorAll(".picture svg")].find((svg) => svg.getClientRects().length);
  const light = (spot, on) => {
    for (const arcs of shown().querySelectorAll(".arcs")) {
      const own = on && spot.dataset.arcs ? spot.dataset.arcs.split(" ") : [];
      const lane = spot.closest(".lane");
      const hit = lane && lane.contains(arcs) && own.length > 0;
      arcs.classList.toggle("dim", hit);
      for (const arc of arcs.children) {
        arc.classList.toggle("lit", hit && own.some((name) => arc.classList.contains(name)));
      }
    }
  };
  const show = (spot) => {
    tip.textContent = spot.dataset.tip;
    tip.hidden = false;
    const at = spot.getBoundingClientRect(), box = tip.getBoundingClientRect();
    const middle = spot.classList.contains("band") ? at.top + 60 : at.top;
    const most = document.documentElement.clientWidth - box.width - 8;
    const left = Math.min(Math.max(8, at.left + at.width / 2 - box.width / 2), most);
    const above = middle - box.height - 10;
    tip.style.left = left + scrollX + "px";
    tip.style.top = (above > 4 ? above : middle + 18) + scrollY + "px";
    light(spot, true);
  };
  let near = null;
  const hide = () => {
    tip.hidden = true;
    if (near) { near.classList.remove("near"); light(near, false); near = null; }
  };
  const nearest = (event) => {
    let best = null, least = 14;
    for (const spot of shown().querySelectorAll(".tick")) {
      const at = spot.getBoundingClientRect();
      const away = Math.hypot(event.clientX - at.left - at.width / 2, event.clientY - at.top - at.height / 2);
      if (away < least) { least = away; best = spot; }
    }
    return best || event.target.closest(".band");
  };
  const picture = document.querySelector(".picture");
  picture.addEventListener("pointermove", (event) => {
    const spot = nearest(event);
    if (spot === near) return;
    hide();
    if (!spot) return;
    near = spot;
    spot.classList.add("near");
    show(spot);
  });
  picture.addEventListener("pointerleave", hide);
  picture.addEventListener("focusin", (event) => {
    const spot = event.target.closest("[data-tip]");
    if (!spot) return;
    hide();
    show(spot);
    if (!spot.hasAttribute("aria-label")) {
      spot.setAttribute("role", "img");
      spot.setAttribute("aria-label", spot.dataset.tip);
    }
  });
  picture.addEventListener("focusout", (event) => { light(event.target, false); hide(); });
  const middle = (spot) => spot.getBoundingClientRect().left + spot.getBoundingClientRect().width / 2;
  const rows = () => [...shown().querySelectorAll(".ticks, .misses")].map((row) => [...row.querySelectorAll(".tick")]);
  const step = (from, key) => {
    const all = rows(), row = all.findIndex((ticks) => ticks.includes(from)), place = all[row].indexOf(from);
    if (key === "ArrowLeft") return all[row][place - 1];
    if (key === "ArrowRight") return all[row][place + 1];
    if (key === "Home") return all[row][0];
    if (key === "End") return all[row].at(-1);
    const other = all[row + (key === "ArrowUp" ? -1 : 1)] || [];
    const away = (spot) => Math.abs(middle(spot) - middle(from));
    return other.reduce((best, one) => (!best || away(one) < away(best) ? one : best), null);
  };
  picture.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return hide();
    if (!event.target.classList.contains("tick")) return;
    if (!["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(event.key)) return;
    event.preventDefault();
    const next = step(event.target, event.key);
    if (!next) return;
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
  for (const svg of document.querySelectorAll(".picture svg")) {
    const first = svg.querySelector(".tick");
    if (first) first.tabIndex = 0;
  }
  const open = (hash) => {
    const bill = /^#b[0-9]+$/.test(hash) && document.getElementById(hash.slice(1));
    if (!bill) return;
    bill.open = true;
    bill.querySelector("summary").focus();
    bill.scrollIntoView({block: "nearest"});
  };
  picture.addEventListener("click", (event) => {
    const band = event.target.closest(".band");
    if (!band) return;
    event.preventDefault();
    history.replaceState(null, "", band.getAttribute("href"));
    open(location.hash);
  });
  addEventListener("hashchange", () => open(location.hash));
  open(location.hash);
})();
"""

/** Links of before the reference had pages of its own: /docs#lobbies.find and /docs/api#lobbies.find. */
export function redirectOldAnchors() {
  const path = location.pathname;
  const id = decodeURIComponent(location.hash.slice(1));
  if (!/^[a-z]+(?:\.[A-Za-z]+)+$/.test(id)) return;
  if (path === "/docs") location.replace(`/docs/api#${id}`);
  if (path === "/docs/api") {
    const target = document.getElementById(id)?.querySelector("a")?.getAttribute("href");
    if (target) location.replace(target);
  }
}

/** On a phone the link at the top opens and closes the list of pages. */
export function openMenu() {
  const link = document.querySelector(".menu-link");
  link.setAttribute("role", "button");
  link.setAttribute("aria-expanded", "false");
  link.setAttribute("aria-controls", "pages");
  const toggle = (event) => {
    event.preventDefault();
    const isOpen = document.documentElement.classList.toggle("menu-open");
    link.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) document.querySelector("#pages a").focus();
  };
  link.addEventListener("click", toggle);
  link.addEventListener("keydown", (event) => {
    if (event.key === " ") toggle(event);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !document.documentElement.classList.contains("menu-open")) return;
    toggle(event);
    link.focus();
  });
  document.querySelector("#pages [aria-current]")?.scrollIntoView({ block: "center" });
  scrollTo(scrollX, location.hash ? scrollY : 0);
}

/** Marks the heading that is being read in the contents of the page. */
export function followHeadings() {
  const links = new Map(
    [...document.querySelectorAll(".contents a")].map((link) => [decodeURIComponent(link.hash.slice(1)), link]),
  );
  const headings = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  const mark = () => {
    const read = headings.filter((heading) => heading.getBoundingClientRect().top < 120).at(-1) ?? headings[0];
    for (const [id, link] of links) {
      if (id === read?.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  if (headings.length === 0) return;
  addEventListener("scroll", () => requestAnimationFrame(mark), { passive: true });
  mark();
}

/** What scrolls sideways can be reached and scrolled with the keyboard. */
export function reachScrollable() {
  const update = () => {
    for (const box of document.querySelectorAll("pre, .table")) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  addEventListener("resize", update);
  addEventListener("toggle", update, true);
  addEventListener("shown", update);
  update();
}

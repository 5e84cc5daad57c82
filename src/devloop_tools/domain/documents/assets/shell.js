/* The page around the text: sidebar, contents, previous and next, search, light and dark.
   Works from file://. Nothing here is needed to read the text. */
"use strict";
(async () => {
  const root = document.currentScript.src.replace(/assets\/shell\.js([?#].*)?$/, "");

  /* A page names this script alone; what else there is comes from beside it. */
  function load(name) {
    return new Promise((resolve) => {
      const script = document.createElement("script");
      script.src = `${root}assets/${name}`;
      script.onload = script.onerror = resolve;
      document.head.append(script);
    });
  }
  await Promise.all([load("site.js"), load("search.js")]);

  const site = window.DEVLOOP_SITE || { title: document.title, chapters: [] };
  const page = document.body.dataset.page || "";
  const chinese = (document.documentElement.lang || "").startsWith("zh");
  const WORDS = chinese
    ? { search: "搜索", hint: "输入文字，回车打开", contents: "本页目录", previous: "上一页", next: "下一页",
        theme: "切换明暗", menu: "目录", copy: "复制链接", copied: "已复制", none: "没有找到", close: "关闭",
        missing: "还没有搜索索引。", results: (n) => `${n} 个结果`, chapters: "章节", skip: "跳到正文" }
    : { search: "Search", hint: "Type, then Enter", contents: "On this page", previous: "Previous", next: "Next",
        theme: "Light or dark", menu: "Menu", copy: "Copy link", copied: "Copied", none: "Nothing found", close: "Close",
        missing: "There is no search index yet.", results: (n) => `${n} results`, chapters: "Chapters", skip: "Skip to text" };
  const THEME = "devloop-theme";
  const MOST_HITS = 30;
  const EXCERPT = 120;

  function make(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (typeof value === "function") element.addEventListener(key, value);
      else if (value !== null) element.setAttribute(key, value);
    }
    element.append(...children);
    return element;
  }

  /* The ids that domain/html/anchors.py gives. */
  function slug(text) {
    const kept = text.normalize("NFC").replace(/[^\p{L}\p{N}\p{M}]+/gu, " ").toLowerCase().trim();
    return Array.from(kept.split(/\s+/).join("-")).slice(0, 64).join("").replace(/-+$/, "") || "section";
  }

  function giveIds(article) {
    const taken = new Set(Array.from(document.querySelectorAll("[id]"), (e) => e.id));
    const claim = (wanted) => {
      let name = wanted;
      for (let count = 2; taken.has(name); count++) name = `${wanted}-${count}`;
      taken.add(name);
      return name;
    };
    const titles = new Map();
    for (const element of article.querySelectorAll("section, h1, h2, h3, h4, h5, h6")) {
      if (element.localName === "section") {
        const heading = element.querySelector("h1, h2, h3, h4, h5, h6");
        if (!element.id) element.id = claim(slug(heading ? heading.textContent : ""));
        if (heading && !titles.has(heading)) titles.set(heading, element);
      } else if (!titles.has(element)) {
        if (!element.id) element.id = claim(slug(element.textContent));
        titles.set(element, element);
      }
    }
    return titles;
  }

  function theme() {
    let stored = null;
    try { stored = localStorage.getItem(THEME); } catch { /* closed to file:// in some browsers */ }
    if (stored) document.documentElement.dataset.theme = stored;
    return make("button", { type: "button", class: "theme", "aria-label": WORDS.theme, title: WORDS.theme, click() {
      const dark = document.documentElement.dataset.theme
        ? document.documentElement.dataset.theme === "dark"
        : matchMedia("(prefers-color-scheme: dark)").matches;
      document.documentElement.dataset.theme = dark ? "light" : "dark";
      try { localStorage.setItem(THEME, document.documentElement.dataset.theme); } catch { /* as above */ }
    } }, "◐");
  }

  function sidebar(openSearch) {
    const aside = document.getElementById("sidebar");
    if (!aside) return;
    const menu = make("div", { class: "chapters", id: "chapter-list" });
    let group = null;
    let list = null;
    for (const chapter of site.chapters) {
      if (!list || chapter.group !== group) {
        group = chapter.group;
        if (group) menu.append(make("p", { class: "group" }, group));
        list = make("ul", {});
        menu.append(list);
      }
      const link = make("a", { href: root + chapter.page.split("/").map(encodeURIComponent).join("/") }, chapter.title);
      if (chapter.page === page) link.setAttribute("aria-current", "page");
      list.append(make("li", {}, link));
    }
    const toggle = make("button", { type: "button", class: "menu", "aria-expanded": "false", "aria-controls": "chapter-list", click() {
      const open = aside.classList.toggle("open");
      toggle.setAttribute("aria-expanded", String(open));
    } }, WORDS.menu);
    const nav = make("nav", { "aria-label": WORDS.chapters }, menu);
    aside.replaceChildren(
      make("div", { class: "bar" },
        make("a", { class: "home", href: root + "index.html" }, site.title),
        make("button", { type: "button", class: "find", "aria-keyshortcuts": "/", click: openSearch }, WORDS.search, make("kbd", {}, "/")),
        theme(), toggle),
      nav);
  }

  function contents(article, titles) {
    const list = make("ul", {});
    for (const [heading, target] of titles) {
      if (!/^h[23]$/.test(heading.localName)) continue;
      const text = heading.textContent.trim();
      list.append(make("li", { class: heading.localName }, make("a", { href: "#" + encodeURIComponent(target.id) }, text)));
      heading.append(anchor(target.id, text));
    }
    if (list.children.length > 1) {
      article.before(make("nav", { class: "toc", "aria-label": WORDS.contents }, make("p", {}, WORDS.contents), list));
    }
  }

  function anchor(id, title) {
    const link = make("a", { class: "anchor", href: "#" + encodeURIComponent(id), "aria-label": `${WORDS.copy}: ${title}`, click() {
      if (!navigator.clipboard) return;
      const address = location.href.replace(/#.*$/, "") + "#" + encodeURIComponent(id);
      navigator.clipboard.writeText(address).then(() => {
        link.dataset.copied = WORDS.copied;
        link.addEventListener("blur", () => delete link.dataset.copied, { once: true });
      }, () => {});
    } }, "#");
    return link;
  }

  function neighbours() {
    const nav = document.querySelector("nav.prev-next");
    const at = site.chapters.findIndex((chapter) => chapter.page === page);
    if (!nav || at < 0 || nav.children.length) return;
    nav.setAttribute("aria-label", `${WORDS.previous} / ${WORDS.next}`);
    for (const [step, word, rel] of [[-1, WORDS.previous, "prev"], [1, WORDS.next, "next"]]) {
      const chapter = site.chapters[at + step];
      if (!chapter) continue;
      const address = root + chapter.page.split("/").map(encodeURIComponent).join("/");
      nav.append(make("a", { href: address, rel, class: rel }, make("span", {}, word), chapter.title));
    }
  }

  function searchDialog() {
    const engine = window.DEVLOOP_SEARCH;
    const status = make("p", { role: "status", class: "status" }, WORDS.hint);
    const list = make("ol", { class: "hits" });
    const input = make("input", { type: "search", "aria-label": WORDS.search, placeholder: WORDS.search, autocomplete: "off", input: show, keydown(event) {
      if (event.isComposing) return;
      const links = list.querySelectorAll("a");
      if (event.key === "Enter" && links.length) links[0].click();
      if (event.key === "ArrowDown" && links.length) { event.preventDefault(); links[0].focus(); }
    } });
    const dialog = make("dialog", { class: "search", "aria-label": WORDS.search },
      make("div", { class: "field" }, input, make("button", { type: "button", click: () => dialog.close() }, WORDS.close)),
      status, list);
    list.addEventListener("keydown", (event) => {
      const links = Array.from(list.querySelectorAll("a"));
      const at = links.indexOf(document.activeElement);
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        (links[at + (event.key === "ArrowDown" ? 1 : -1)] || input).focus();
      }
    });
    document.body.append(dialog);

    function show() {
      if (!engine || !engine.ready()) return;
      const query = input.value;
      const found = engine.search(query, MOST_HITS);
      list.replaceChildren(...found.hits.map((hit) => item(hit, query)));
      status.textContent = !query.trim() ? WORDS.hint : found.total ? WORDS.results(found.total) : WORDS.none;
    }

    /* Many parts of the index may arrive between two frames. */
    let due = false;
    function showSoon() {
      if (!list.firstChild) show();
      if (due) return;
      due = true;
      requestAnimationFrame(() => { due = false; show(); });
    }

    function item(hit, query) {
      const [path, id, title, pageTitle] = hit.place;
      const address = root + path.split("/").map(encodeURIComponent).join("/") +
        "?q=" + encodeURIComponent(query) + (id ? "#" + encodeURIComponent(id) : "");
      const excerpt = make("span", { class: "excerpt" });
      engine.textOf(hit).then((text) => excerpt.append(...marks(around(text, query), query)), () => {});
      const names = title && title !== pageTitle ? [make("span", { class: "where" }, pageTitle), ...marks(title, query)] : marks(pageTitle, query);
      return make("li", {}, make("a", { href: address, click: () => dialog.close() }, make("span", { class: "title" }, ...names), excerpt));
    }

    function around(text, query) {
      let before = 0;
      for (const [part, hit] of engine.marked(text, query)) {
        if (hit) break;
        before += part.length;
      }
      const start = before >= text.length ? 0 : Math.max(0, before - 30);
      return (start ? "…" : "") + text.slice(start, start + EXCERPT) + (start + EXCERPT < text.length ? "…" : "");
    }

    function marks(text, query) {
      return engine.marked(text, query).map(([part, hit]) => (hit ? make("mark", {}, part) : part));
    }

    return () => {
      if (!dialog.open) dialog.showModal();
      input.select();
      if (engine) engine.open(showSoon).catch(() => { status.textContent = WORDS.missing; });
      else status.textContent = WORDS.missing;
    };
  }

  /* The words that a hit was opened for are marked in the text. */
  function markQuery(article) {
    const query = new URLSearchParams(location.search).get("q");
    const engine = window.DEVLOOP_SEARCH;
    if (!query || !engine) return;
    engine.open(() => {}).then(() => {
      const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
      const texts = [];
      while (walker.nextNode()) texts.push(walker.currentNode);
      for (const node of texts) {
        if (node.parentElement.closest("svg, .anchor")) continue;
        const pieces = engine.marked(node.data, query);
        if (pieces.some(([, hit]) => hit)) {
          node.replaceWith(...pieces.map(([part, hit]) => (hit ? make("mark", {}, part) : part)));
        }
      }
    }, () => {});
  }

  function goToHash() {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* an address written by hand */ }
    const target = id && document.getElementById(id);
    if (target) target.scrollIntoView();
  }

  const openSearch = searchDialog();
  const article = document.querySelector("article.body");
  sidebar(openSearch);
  neighbours();
  if (article) {
    const titles = giveIds(article);
    contents(article, titles);
    for (const wide of article.querySelectorAll("pre, table")) {
      const frame = make("div", { class: "wide", tabindex: "0", role: "group", "aria-label": wide.localName });
      wide.replaceWith(frame);
      frame.append(wide);
    }
    markQuery(article);
    goToHash();
  }
  document.addEventListener("keydown", (event) => {
    const typing = /^(input|textarea|select)$/.test(event.target.localName || "") || event.target.isContentEditable;
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      openSearch();
    }
  });
  document.documentElement.dataset.shell = "ready";
})();

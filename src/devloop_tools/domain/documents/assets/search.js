/* Finds sections in the page, with no server: the index comes as scripts beside this one.
   A query is taken apart as domain/documents/search_terms.py takes a text apart. */
"use strict";
(() => {
  const CJK = "々〆\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";
  const PIECE = new RegExp(`[${CJK}]+|(?:(?![${CJK}])[\\p{L}\\p{N}])+`, "gu");
  const IS_CJK = new RegExp(`^[${CJK}]`, "u");
  const PAIRS = /(?:[aeiou]|(?<=[^aeiou])y)+(?:[^aeiouy]|(?<![^aeiou])y)+/g;
  const VOWEL = /[aeiou]|(?<=[^aeiou])y/;
  const SHORT = /^[^aeiou]*[aeiouy][^aeiouwxy]$/;
  const DOUBLE = /([^aeiouylsz])\1$/;
  const MAX_WORD = 64;
  const SATURATION = 1.2;
  const LENGTH_WEIGHT = 0.75;
  const TITLE_BONUS = 0.5;
  const LOADED_AT_ONCE = 2;
  const FILTER_PLACES = 4;
  const FILTER_SPREAD = 0x9e3779b1;
  const CRC = Uint32Array.from({ length: 256 }, (_, value) => {
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
    return value;
  });

  const here = document.currentScript.src.replace(/search\.js([?#].*)?$/, "search/");
  const shards = new Map();
  const waiting = new Map();
  const bits = new Map();
  let manifest = null;
  let wanted = [];

  function load(name) {
    if (!waiting.has(name)) {
      waiting.set(name, new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = here + name;
        script.onload = resolve;
        script.onerror = () => reject(new Error(name));
        document.head.append(script);
      }));
    }
    return waiting.get(name);
  }

  /* Whether a group may hold a term, by its filter: domain/documents/term_filters.py makes it. */
  function mayHold(bits, term) {
    let first = -1;
    for (const byte of new TextEncoder().encode(term)) first = CRC[(first ^ byte) & 255] ^ (first >>> 8);
    first = ~first >>> 0;
    const step = (Math.imul(first, FILTER_SPREAD) | 1) >>> 0;
    for (let count = 0; count < FILTER_PLACES; count++) {
      const place = (first + count * step) % (8 * bits.length);
      if (!(bits.charCodeAt(place >> 3) >> (place & 7) & 1)) return false;
    }
    return true;
  }

  /* Takes out of `left` what may answer the last query, else what comes first. */
  function takeNext(left) {
    const filters = manifest.filters;
    const at = filters && wanted.length ? left.findIndex((number) => {
      const stored = filters[manifest.shards.indexOf(number)];
      if (!bits.has(number)) bits.set(number, atob(stored));
      return wanted.every((term) => mayHold(bits.get(number), term));
    }) : -1;
    return left.splice(Math.max(at, 0), 1)[0];
  }

  const pairs = (word) => (word.match(PAIRS) || []).length;

  function past(word) {
    if (word.endsWith("eed")) return pairs(word.slice(0, -3)) ? word.slice(0, -1) : word;
    const cut = word.endsWith("ed") ? 2 : word.endsWith("ing") ? 3 : 0;
    if (!cut || !VOWEL.test(word.slice(0, -cut))) return word;
    const left = word.slice(0, -cut);
    if (/(at|bl|iz)$/.test(left)) return left + "e";
    if (DOUBLE.test(left)) return left.slice(0, -1);
    return SHORT.test(left) ? left + "e" : left;
  }

  function plural(word) {
    if (/(sses|ies)$/.test(word)) return word.slice(0, -2);
    return /[^s]s$/.test(word) || word === "s" ? word.slice(0, -1) : word;
  }

  function step(word, rules) {
    let best = null;
    for (const rule of rules) {
      if (word.endsWith(rule[0]) && (!best || rule[0].length > best[0].length)) best = rule;
    }
    if (!best) return word;
    const left = word.slice(0, word.length - best[0].length);
    return pairs(left) > best[2] ? left + best[1] : word;
  }

  function stem(word) {
    if (!/^[a-z]{3,40}$/.test(word)) return word;
    word = past(plural(word));
    if (word.endsWith("y") && VOWEL.test(word.slice(0, -1))) word = word.slice(0, -1) + "i";
    for (const rules of manifest.stems) word = step(word, rules);
    if (word.endsWith("e")) {
      const left = word.slice(0, -1);
      if (pairs(left) > 1 || (pairs(left) === 1 && !SHORT.test(left))) word = left;
    }
    return word.endsWith("ll") && pairs(word) > 1 ? word.slice(0, -1) : word;
  }

  function queryTerms(text) {
    const found = new Set();
    for (const piece of text.normalize("NFKC").match(PIECE) || []) {
      const chars = Array.from(piece);
      if (!IS_CJK.test(piece)) found.add(stem(chars.slice(0, MAX_WORD).join("").toLowerCase()));
      else if (chars.length === 1) found.add(piece);
      else for (let i = 0; i + 1 < chars.length; i++) found.add(chars[i] + chars[i + 1]);
    }
    return [...found];
  }

  /* The last word may be unfinished: it also stands for the terms that begin with it. */
  function postingsOf(shard, term, isLast) {
    const exact = Object.hasOwn(shard.terms, term) ? shard.terms[term] : null;
    if (exact || !isLast || term.length < 2 || IS_CJK.test(term)) return exact || [];
    const joined = [];
    for (const known of shard.words) {
      if (known.startsWith(term)) joined.push(...shard.terms[known]);
    }
    return joined;
  }

  function search(text, limit) {
    const terms = queryTerms(text);
    wanted = terms;
    if (!terms.length) return { total: 0, hits: [] };
    let documents = 0;
    let length = 0;
    const holding = terms.map(() => 0);
    const candidates = [];
    for (const [number, shard] of shards) {
      documents += shard.docs.length;
      length += shard.length;
      const scores = new Map();
      terms.forEach((term, at) => {
        const postings = postingsOf(shard, term, at === terms.length - 1);
        for (let i = 0; i < postings.length; i += 2) {
          let counts = scores.get(postings[i]);
          if (!counts) {
            if (at > 0) continue;
            counts = [];
            scores.set(postings[i], counts);
          }
          if (!counts[at]) holding[at] += 1;
          counts[at] = (counts[at] || 0) + postings[i + 1];
        }
      });
      for (const [doc, counts] of scores) {
        if (terms.every((_, at) => counts[at])) candidates.push({ number, doc, counts });
      }
    }
    const average = length / Math.max(1, documents) || 1;
    for (const found of candidates) {
      const place = shards.get(found.number).docs[found.doc];
      const norm = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * place[4] / average);
      found.place = place;
      found.score = found.counts.reduce((sum, count, at) => {
        const rare = Math.log(1 + (documents - holding[at] + 0.5) / (holding[at] + 0.5));
        return sum + rare * count * (SATURATION + 1) / (count + norm);
      }, 0);
    }
    candidates.sort(better);
    /* However often a word is repeated, what is called by it is more about it. */
    const best = candidates.slice(0, limit * 4);
    for (const found of best) {
      const titled = new Set(queryTerms(found.place[2]));
      found.score *= 1 + TITLE_BONUS * terms.filter((term) => titled.has(term)).length / terms.length;
    }
    return { total: candidates.length, hits: best.sort(better).slice(0, limit) };
  }

  const better = (a, b) => b.score - a.score || a.number - b.number || a.doc - b.doc;

  window.DEVLOOP_SEARCH = {
    manifest(value) { manifest = value; },
    terms(number, shard) {
      shard.words = Object.keys(shard.terms);
      shard.length = shard.docs.reduce((sum, place) => sum + place[4], 0);
      shards.set(number, shard);
    },
    texts(number, texts) { shards.get(number).texts = texts; },

    /* Resolves when all shards are there; calls `arrived` after each, so that hits can show.
       What may answer the query that was asked last is loaded first. */
    async open(arrived) {
      await load("manifest.js");
      arrived();
      const left = manifest.shards.slice();
      const next = async () => {
        while (left.length) {
          await load(`terms-${takeNext(left)}.js`);
          arrived();
        }
      };
      await Promise.all(Array.from({ length: LOADED_AT_ONCE }, next));
    },
    ready: () => manifest !== null,
    queryTerms,
    search,
    async textOf(hit) {
      await load(`texts-${hit.number}.js`);
      return shards.get(hit.number).texts[hit.doc];
    },

    /* Pieces of `text`, each with whether it answers the query. */
    marked(text, query) {
      const terms = new Set(queryTerms(query));
      const pieces = [];
      let done = 0;
      for (const found of text.matchAll(PIECE)) {
        for (const [start, end] of answering(found[0], terms)) {
          pieces.push([text.slice(done, found.index + start), false]);
          pieces.push([text.slice(found.index + start, found.index + end), true]);
          done = found.index + end;
        }
      }
      pieces.push([text.slice(done), false]);
      return pieces.filter(([part]) => part);
    },
  };

  function answering(piece, terms) {
    if (!IS_CJK.test(piece)) {
      const word = stem(piece.normalize("NFKC").toLowerCase());
      const prefix = [...terms].some((term) => term.length > 1 && word.startsWith(term));
      return prefix ? [[0, piece.length]] : [];
    }
    const spans = [];
    for (let i = 0; i < piece.length; i++) {
      const size = terms.has(piece.slice(i, i + 2)) ? 2 : terms.has(piece[i]) ? 1 : 0;
      const last = spans[spans.length - 1];
      if (size && last && last[1] >= i) last[1] = Math.max(last[1], i + size);
      else if (size) spans.push([i, i + size]);
    }
    return spans;
  }
})();

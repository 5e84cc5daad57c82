"""Pages written by hand in the anatomy of a site, with the oddities that such pages have."""

BY_HAND = """\
<!DOCTYPE html>
<html lang=zh-CN>
<head>
<meta charset="utf-8" /><meta name="viewport" content="width=device-width" />
<title>配额 Quota · 手写站</title>
<link rel="stylesheet" href="assets/shell.css" />
</head>
<body data-page="quota.html">
<!-- <section id="ghost"><h2>不是正文</h2></section> -->
<div class="shell">
  <aside id="sidebar"></aside>
  <main class="page">
    <header class="page-head">
      <div class="crumb"><span class="pill">03 · LIMITS</span><span class="sep">/</span></div>
      <h1>配额 &amp; Quota<br>说明</h1>
      <p class="deck">每个租户 <b>独立</b> 计数
    </header>
    <article class="body">

      <section>
        <h2>① 现状 · 三种配额</h2>
        <p>软限制,硬限制,突发 A&nbsp;B &lt;limit&gt; 1 < 2 && x
        <svg viewBox="0 0 9 9" role="img" aria-label="图"><title>图</title>
          <g><rect x="1"  y="1" width="7" height="7"/></g></svg>
        <ul><li>甲<li>乙</ul>
      </section>

      <SECTION ID='limits' class = "wide">
        <h2>② Limits per tenant</h2>
<pre class="code">if (a < b) { return "</p>"; }
<span class="c"># keep   spaces</span></pre>
        <section><h3>内层 Inner</h3><p>nested</p></section>
      </SECTION>

      <section id="empty"></section>
    </article>
    <nav class="prev-next"></nav>
    <footer class="site"><div><b>Page</b>quota.html</div></footer>
  </main>
</div>
<script src="assets/shell.js"></script>
<script>var s = "<section id='fake'></section>";</script>
</body>
</html>
"""

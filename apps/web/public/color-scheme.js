// Before the first paint: the colour scheme that was chosen here, so that a dark page does not flash white.
// A file of its own, because the content security policy allows no inline script.
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem("strongroom.color-scheme");
  } catch {
    // Storage is forbidden: the system's scheme it is.
  }
  var isDark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.mantineColorScheme = isDark ? "dark" : "light";
})();

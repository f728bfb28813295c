// Puts the theme on the page before anything is painted; src/theme/ changes it later.
(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    let chosen;
    try {
        chosen = JSON.parse(localStorage.getItem("windlass.choices") ?? "{}").theme;
    } catch {
        // What cannot be read was not chosen.
    }
    document.documentElement.dataset.theme =
        chosen === "light" || chosen === "dark" ? chosen : dark;
})();

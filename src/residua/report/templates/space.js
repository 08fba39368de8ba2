"use strict";
// Commands are copied, ranges on the parallel axes chosen, and plots follow the theme of the page.
const scatters = [...document.querySelectorAll(".plots.scripted .js-plotly-plot")];
const axes = document.getElementById("axes");
const rows = [...document.querySelectorAll("#cores tr")].slice(1);

async function copy(core) {
  const command = rows[core].querySelector("button").dataset.command;
  let said = "Copied: ";
  try {
    await navigator.clipboard.writeText(command);
  } catch {
    said = "To copy: ";
  }
  document.getElementById("said").textContent = said + command;
}

function within(value, range) {
  const ranges = Array.isArray(range[0]) ? range : [range];
  return ranges.some(([low, high]) => low <= value && value <= high);
}

function choose() {
  const limited = axes.data[0].dimensions.filter((axis) => axis.constraintrange);
  const kept = rows.map((_, core) => core)
    .filter((core) => limited.every((axis) => within(axis.values[core], axis.constraintrange)));
  const all = kept.length === rows.length;
  rows.forEach((row, core) => { row.hidden = !kept.includes(core); });
  const points = (plot) => plot.data[0].customdata.flatMap((core, place) => (kept.includes(core) ? [place] : []));
  scatters.forEach((plot) => Plotly.restyle(plot, { selectedpoints: all ? [null] : [points(plot)] }));
}

function theme() {
  const style = getComputedStyle(document.documentElement);
  const [ink, line] = ["--ink", "--line"].map((name) => style.getPropertyValue(name).trim());
  const common = { paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", "font.color": ink };
  const grid = { "xaxis.gridcolor": line, "yaxis.gridcolor": line, "xaxis.zerolinecolor": line, "yaxis.zerolinecolor": line };
  scatters.forEach((plot) => Plotly.relayout(plot, { ...common, ...grid }));
  Plotly.relayout(axes, common);
}

document.querySelectorAll("button.copy").forEach((button) => {
  button.addEventListener("click", () => copy(Number(button.dataset.core)));
});
scatters.forEach((plot) => plot.on("plotly_click", (event) => copy(event.points[0].customdata)));
axes.on("plotly_restyle", choose);
// The first plot was made when it had the line for itself.
scatters.forEach((plot) => Plotly.Plots.resize(plot));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", theme);
theme();

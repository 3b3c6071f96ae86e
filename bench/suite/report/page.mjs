// The script of the report: draws the charts of the host that is chosen.
import { BarChart, LineChart, ScatterChart } from "echarts/charts";
import {
  AriaComponent,
  GridComponent,
  LegendComponent,
  TitleComponent,
  TooltipComponent,
} from "echarts/components";
import { init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import {
  allocationChart,
  downloadChart,
  growthChart,
  meansChart,
  speedChart,
  startupChart,
} from "./charts.mjs";

use([
  AriaComponent,
  BarChart,
  GridComponent,
  LegendComponent,
  LineChart,
  ScatterChart,
  SVGRenderer,
  TitleComponent,
  TooltipComponent,
]);

/** @param {string} id */
function element(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** @type {import("../results.mjs").Results} */
const results = JSON.parse(element("results").textContent ?? "");
const choice = /** @type {HTMLSelectElement} */ (element("host"));

const charts = {
  means: meansChart,
  speed: speedChart,
  allocation: allocationChart,
  startup: startupChart,
  download: downloadChart,
  growth: growthChart,
};

/** @type {HTMLElement[]} */
const places = Array.from(document.querySelectorAll("[data-chart]"));

/** @type {import("echarts/core").EChartsType[]} */
let drawn = [];

function draw() {
  for (const chart of drawn) chart.dispose();
  const host = results.hosts.find(({ id }) => id === choice.value) ?? results.hosts[0];
  drawn = [];
  for (const place of places) {
    const { chart: name, section: sectionName, operation } = place.dataset;
    const section = results.sections.find((each) => each.name === sectionName) ?? results.sections[0];
    const make = charts[/** @type {keyof typeof charts} */ (name)];
    const { height, option } = make(results, host, section, operation);
    const isEmpty = option.series.every(({ data }) => data.length === 0);
    place.textContent = isEmpty ? "Not measured here." : "";
    if (isEmpty) continue;
    const chart = init(place, undefined, { renderer: "svg", height });
    chart.setOption(option);
    drawn.push(chart);
  }
  for (const section of Array.from(document.querySelectorAll("[data-host]"))) {
    /** @type {HTMLElement} */ (section).hidden = section.getAttribute("data-host") !== host.id;
  }
}

choice.addEventListener("change", draw);
addEventListener("resize", () => {
  for (const chart of drawn) chart.resize();
});
draw();

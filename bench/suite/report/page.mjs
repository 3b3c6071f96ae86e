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

/** @type {Record<string, (host: import("../hosts.mjs").Host) => { height: number, option: Record<string, unknown> }>} */
const charts = {
  means: (host) => meansChart(results, host),
  "speed-decode": (host) => speedChart(results, host, "decode"),
  "speed-encode": (host) => speedChart(results, host, "encode"),
  "allocation-decode": (host) => allocationChart(results, host, "decode"),
  "allocation-encode": (host) => allocationChart(results, host, "encode"),
  startup: (host) => startupChart(results, host),
  download: () => downloadChart(results),
  growth: (host) => growthChart(results, host),
};

/** @type {import("echarts/core").EChartsType[]} */
let drawn = [];

function draw() {
  for (const chart of drawn) chart.dispose();
  const host = results.hosts.find(({ id }) => id === choice.value) ?? results.hosts[0];
  drawn = Object.entries(charts).flatMap(([id, make]) => {
    const place = document.getElementById(id);
    if (place === null) return [];
    const { height, option } = make(host);
    const chart = init(place, undefined, { renderer: "svg", height });
    chart.setOption(option);
    return chart;
  });
  for (const section of Array.from(document.querySelectorAll("[data-host]"))) {
    /** @type {HTMLElement} */ (section).hidden = section.getAttribute("data-host") !== host.id;
  }
}

choice.addEventListener("change", draw);
addEventListener("resize", () => {
  for (const chart of drawn) chart.resize();
});
draw();

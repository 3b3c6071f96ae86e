import type { UserConfig } from "vite";

export default {
  // While developing, the page is Vite's and the data are the server's.
  server: { proxy: { "/api": "http://127.0.0.1:3000" } },
} satisfies UserConfig;

// Builds the page; `npm run dev` serves it beside a running `tesuji serve --no-token`.
import preact from "@preact/preset-vite";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [preact()],
  resolve: { alias: { react: "preact/compat", "react-dom": "preact/compat" } },
  build: { target: "es2022", chunkSizeWarningLimit: 600 },
  server: { proxy: { "/api": { target: "http://127.0.0.1:8787", changeOrigin: true, headers: { Origin: "http://127.0.0.1:8787" } } } },
});

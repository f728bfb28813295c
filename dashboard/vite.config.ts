// How the dashboard is built: relative addresses only, so that it works under any path.
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const OUT = join(import.meta.dirname, "dist");
// Smaller files are not worth a second copy.
const WORTH_PACKING = 1024;
// The best costs ten times as long and saves a twentieth.
const QUALITY = { [constants.BROTLI_PARAM_QUALITY]: 9 };

/** Lays packed copies beside the files, so that the server never packs anything itself. */
function packed(): Plugin {
  return {
    name: "packed",
    writeBundle() {
      for (const file of readdirSync(join(OUT, "assets"))) {
        if (/\.(js|css)$/.test(file)) pack(join(OUT, "assets", file));
      }
    },
  };
}

function pack(path: string): void {
  const plain = readFileSync(path);
  if (plain.length < WORTH_PACKING) return;
  writeFileSync(`${path}.gz`, gzipSync(plain, { level: 9 }));
  writeFileSync(`${path}.br`, brotliCompressSync(plain, { params: QUALITY }));
}

export default defineConfig({
  base: "./",
  plugins: [react(), tailwind(), packed()],
  resolve: { alias: { "~": join(import.meta.dirname, "src") } },
  build: {
    outDir: OUT,
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: "manifest.json",
  },
});

import { snippetsRun } from "./pages.ts";

snippetsRun((page) => page !== "docs/quick-start.md");

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { takeSignInCode } from "./session/sign-in-code.ts";
import "uplot/dist/uPlot.min.css";
import "./style/base.css";
import "./style/layout.css";
import "./style/parts.css";
import "./style/pages.css";
import "./style/settings.css";

const code = takeSignInCode(window.location, window.history);

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <App signInCode={code} />
  </StrictMode>,
);

// Starts the web app.
import "./styles.ts";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { wireSession } from "./wire-session.ts";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");

wireSession();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);

// Starts the web app.
import "./styles.ts";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { currentSession } from "#shared/session/session-store.ts";
import { App } from "./app.tsx";
import { preloadRoute } from "./router.tsx";
import { wireSession } from "./wire-session.ts";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");

wireSession();
if (currentSession().status === "signed-in") preloadRoute(window.location.pathname);
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);

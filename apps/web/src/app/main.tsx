// Starts the web app.
import "./styles.ts";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { currentSession } from "#shared/session/session-store.ts";
import { App } from "./app.tsx";
import { queryClient } from "./query-client.ts";
import { preloadRoute } from "./router.tsx";
import { wireSession } from "./wire-session.ts";

/** How long the page stays empty before it shows that it is loading. */
const PATIENCE_MS = 300;

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");

const start = () =>
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );

wireSession();
if (currentSession().status === "signed-in") {
  // Not with `await` here: the page's code imports from this module and would wait for its end.
  void Promise.race([
    preloadRoute(window.location, queryClient),
    new Promise<void>((resolve) => setTimeout(resolve, PATIENCE_MS)),
  ]).then(start);
} else {
  start();
}

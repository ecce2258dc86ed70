// `npm start`: installs and builds if needed, then runs the server.
import { ensureWebBuilt } from "./build-web.mjs";
import { ensureInstalled } from "./install.mjs";
import { runServer } from "./run-server.mjs";

ensureInstalled("production");
ensureWebBuilt();
runServer();

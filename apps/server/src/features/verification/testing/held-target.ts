// A fake target that counts concurrent logins and can hold them open.
import { startTcp } from "@strongroom/connectors/testing";
import type { Socket } from "node:net";
import type { TestContext } from "node:test";

export async function aTarget(context: TestContext) {
  const open = new Set<Socket>();
  let isHolding = false;
  let most = 0;
  const target = await startTcp((socket) => {
    open.add(socket);
    most = Math.max(most, open.size);
    socket.once("close", () => open.delete(socket));
    if (!isHolding) socket.destroy();
  });
  context.after(() => target.stop());
  return {
    ...target,
    open: () => open.size,
    most: () => most,
    hold: () => void (isHolding = true),
    unblock: () => {
      isHolding = false;
      for (const socket of open) socket.destroy();
    },
  };
}

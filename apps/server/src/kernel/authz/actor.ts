// Who makes a call.
import type { Role, SessionId, UserId } from "@strongroom/contract";

export interface Actor {
  id: UserId;
  email: string;
  name: string;
  role: Role;
  sessionId: SessionId;
}

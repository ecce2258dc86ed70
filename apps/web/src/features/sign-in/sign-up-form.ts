// What the sign-up form holds and what it demands (SIGNUP-06 to SIGNUP-12).
import { Email, Role, type Role as RoleName } from "@strongroom/contract";
import { z } from "zod";
import { chosenPassword, requireMatch } from "./choose-password.ts";

export type SignUpValues = {
  email: string;
  password: string;
  confirmation: string;
  role: RoleName;
  /** Only for the first administrator. */
  setupToken: string;
};

export const SIGN_UP_START: SignUpValues = { email: "", password: "", confirmation: "", role: "user", setupToken: "" };

export const SignUpForm = z
  .object({ email: Email, ...chosenPassword, role: Role, setupToken: z.string().max(200) })
  .superRefine(requireMatch);

/** SIGNUP-10, SIGNUP-11. */
export const ROLE_CHOICES: readonly { role: RoleName; label: string; description: string }[] = [
  { role: "user", label: "User", description: "Standard access to credential management" },
  { role: "manager", label: "Manager", description: "Intermediate access with team oversight capabilities" },
  { role: "admin", label: "Admin", description: "Full system access and administrative privileges" },
];

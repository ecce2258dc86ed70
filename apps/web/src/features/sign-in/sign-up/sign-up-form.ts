// Form values and validation of the sign-up form (SIGNUP-06 to SIGNUP-12).
import { Email, Role, SIGN_UP_RULES, SignUpRule, type Role as RoleName } from "@strongroom/contract";
import { z } from "zod";
import { domainsIn, type SignUpChoice } from "#shared/session/sign-up-rule.tsx";
import { chosenPassword, requireMatch } from "../password/choose-password.ts";

export type SignUpValues = {
  email: string;
  password: string;
  confirmation: string;
  role: RoleName;
  /** Only for the first administrator. */
  setupToken: string;
} & SignUpChoice;

export const SIGN_UP_START: SignUpValues = {
  email: "",
  password: "",
  confirmation: "",
  role: "user",
  setupToken: "",
  sign_up: "activation",
  sign_up_domains: "",
};

export const SignUpForm = z
  .object({
    email: Email,
    ...chosenPassword,
    role: Role,
    setupToken: z.string().max(200),
    sign_up: z.enum(SIGN_UP_RULES),
    sign_up_domains: z.string(),
  })
  .superRefine(requireMatch)
  .superRefine(({ sign_up, sign_up_domains }, context) => {
    const rule = SignUpRule.safeParse({ sign_up, sign_up_domains: domainsIn(sign_up_domains) });
    if (rule.success || sign_up !== "domains") return;
    const message = rule.error.issues[0]?.message ?? "Please enter at least one domain.";
    context.addIssue({ code: "custom", path: ["sign_up_domains"], message });
  });

/** SIGNUP-10, SIGNUP-11. */
export const ROLE_CHOICES: readonly { role: RoleName; label: string; description: string }[] = [
  { role: "user", label: "User", description: "Standard access to credential management" },
  { role: "manager", label: "Manager", description: "Intermediate access with team oversight capabilities" },
  { role: "admin", label: "Admin", description: "Full system access and administrative privileges" },
];

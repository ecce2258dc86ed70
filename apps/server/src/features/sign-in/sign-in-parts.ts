// What the use cases of signing in share.
import type { Mail } from "#features/mail/index.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { Passwords } from "./passwords.ts";
import type { SigningKeys } from "./signing-keys.ts";
import type { Tokens } from "./tokens.ts";

export interface SignInParts {
  kernel: Kernel;
  mail: Mail;
  passwords: Passwords;
  signingKeys: SigningKeys;
  tokens: Tokens;
}

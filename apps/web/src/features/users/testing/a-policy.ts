// The sign-in policy of a new installation, for tests.
import type { SignInPolicy } from "@strongroom/contract";

export const usualPolicy: SignInPolicy = {
  timeout_minutes: 30,
  warning_minutes: 5,
  privileged_timeout_minutes: 15,
  session_hours: 12,
  remembered_days: 30,
  sign_up: "activation",
  sign_up_domains: [],
  password_min_length: 8,
  privileged_password_min_length: 12,
  mfa_required_roles: [],
  step_up_minutes: 30,
  allowed_networks: [],
  vault_wait_hours: 72,
};

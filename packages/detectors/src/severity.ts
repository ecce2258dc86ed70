// How bad a finding is before anything is known about its account, its file's mode and its reuse.
import type { DetectorClass, FindingType, Severity } from "./finding.ts";

const SEVERITY_OF: Record<DetectorClass, Severity> = {
  known_secret: "critical",
  private_key: "critical",
  api_token: "high",
  password: "high",
  encryption_key: "high",
  weak_password: "high",
  password_hash: "medium",
  certificate: "low",
};

/** Uncertain findings are one step lower. */
export function severityOf(found: DetectorClass, confidence: number): Severity {
  const severity = SEVERITY_OF[found];
  if (confidence >= 0.6) return severity;
  return severity === "critical" ? "high" : severity === "high" ? "medium" : "low";
}

const SERVICE_USER =
  /^(?:svc|service|srv|app|bot|ci|deploy|jenkins|backup|monitor\w*|replic\w*|repl|daemon|agent|automation)(?:[-_.$\d]|$)|[-_.](?:svc|service|sa|bot|app)$/i;

export function typeOf(found: DetectorClass, detector: string, userName: string | null): FindingType {
  switch (found) {
    case "private_key":
      return detector === "ssh-private-key" || detector === "putty-private-key" ? "ssh_key" : "credential_exposure";
    case "certificate":
      return "certificate";
    case "password":
    case "weak_password":
    case "known_secret":
      return userName !== null && SERVICE_USER.test(userName) ? "service_account" : "hardcoded_password";
    case "api_token":
    case "encryption_key":
    case "password_hash":
      return "credential_exposure";
    default:
      return found satisfies never;
  }
}

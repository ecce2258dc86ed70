// Labels for systems and verification methods, which accounts and credentials name differently.
import { CREDENTIAL_TYPE_LABELS } from "@strongroom/contract";
import { capitalised } from "#shared/format/text.ts";

/** Connectors whose ids are not words. */
const METHOD_LABELS = {
  "active-directory": "Active Directory",
  "api-token": "API token",
  "aws-iam": "AWS IAM",
  "git-https": "Git over HTTPS",
  "git-ssh": "Git over SSH",
  "google-cloud": "Google Cloud",
  "http-login": "HTTP login",
  ldap: "LDAP",
  "network-device": "Network device",
  rabbitmq: "RabbitMQ",
  radius: "RADIUS",
  snmpv3: "SNMPv3",
  winrm: "WinRM",
};

const labels: Record<string, string> = { ...METHOD_LABELS, ...CREDENTIAL_TYPE_LABELS };

export const systemLabel = (type: string): string => labels[type] ?? capitalised(type);

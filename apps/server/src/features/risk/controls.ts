// Controls of compliance frameworks, each with the factors that can show a violation of it.
import type { ComplianceControl, ComplianceFramework, ComplianceScore, RiskFactorId } from "@strongroom/contract";
import type { Facts } from "./risk.policy.ts";

interface Control {
  /** The number in the framework. */
  id: string;
  title: string;
  /** Empty for a control that needs evidence from outside this product. */
  factors: readonly RiskFactorId[];
  /** The facts that decide, if the factors count more than the control is about. */
  judgedBy?: readonly ControlFact[];
}

/** Facts about a part of a factor, or about findings that are no factor. */
export const CONTROL_FACTS = ["certificates", "exposed_keys", "shared_accounts"] as const;
export type ControlFactId = (typeof CONTROL_FACTS)[number];
type ControlFact = RiskFactorId | ControlFactId;

/**
 * SOX itself names no controls: auditors of section 404 use COBIT 2019. PCI DSS is version 4.0.1, SOC 2 the trust
 * services criteria of 2017, HIPAA 45 CFR part 164, ISO 27001 annex A of 2022.
 */
const CONTROLS: Readonly<Record<ComplianceFramework, readonly Control[]>> = {
  sox: [
    {
      id: "COBIT DSS05.04",
      title: "Manage user identity and logical access",
      factors: ["unmanaged_privileged", "missing_mfa", "shared_passwords", "exposed_secrets"],
    },
    { id: "COBIT DSS05.07", title: "Monitor the infrastructure for security events", factors: ["unrecorded_sessions"] },
    { id: "COBIT DSS06.03", title: "Manage access privileges and levels of authority", factors: ["standing_access"] },
    { id: "COBIT DSS06.06", title: "Secure information assets", factors: ["exposed_secrets", "stale_passwords"] },
    { id: "COBIT BAI06.01", title: "Evaluate, prioritise and authorise change requests", factors: [] },
  ],
  pci_dss: [
    {
      id: "3.6.1",
      title: "Cryptographic keys are protected against disclosure",
      factors: ["exposed_secrets"],
      judgedBy: ["exposed_keys"],
    },
    {
      id: "4.2.1",
      title: "Certificates are valid and have not expired",
      factors: ["expiring_secrets"],
      judgedBy: ["certificates"],
    },
    { id: "7.2.2", title: "Access is assigned by least privilege", factors: ["standing_access"] },
    { id: "7.2.5", title: "System accounts are managed with least privilege", factors: ["unmanaged_privileged"] },
    {
      id: "8.2.2",
      title: "Shared credentials are an exception",
      factors: ["shared_passwords"],
      judgedBy: ["shared_passwords", "shared_accounts"],
    },
    { id: "8.3.9", title: "Passwords change at least every 90 days", factors: ["stale_passwords"] },
    { id: "8.4.2", title: "Access requires multi-factor authentication", factors: ["missing_mfa"] },
    { id: "8.6.2", title: "No passwords in scripts, configuration files or code", factors: ["exposed_secrets"] },
    { id: "10.2.1.2", title: "Logs contain every action with administrative access", factors: ["unrecorded_sessions"] },
    { id: "12.10.1", title: "An incident response plan exists", factors: [] },
  ],
  soc2: [
    {
      id: "CC6.1",
      title: "Logical access security protects information assets",
      factors: ["exposed_secrets", "missing_mfa", "shared_passwords"],
    },
    { id: "CC6.2", title: "Users are registered and authorised", factors: ["unmanaged_privileged"] },
    { id: "CC6.3", title: "Access follows roles and least privilege", factors: ["standing_access"] },
    { id: "CC7.2", title: "Anomalies of system components are monitored", factors: ["unrecorded_sessions"] },
    { id: "CC7.4", title: "Security incidents are answered", factors: [] },
  ],
  hipaa: [
    { id: "§164.308(a)(4)", title: "Information access management", factors: ["standing_access"] },
    {
      id: "§164.308(a)(5)(ii)(D)",
      title: "Password management",
      factors: ["stale_passwords", "shared_passwords", "exposed_secrets"],
    },
    { id: "§164.312(a)(1)", title: "Access control", factors: ["unmanaged_privileged", "exposed_secrets"] },
    { id: "§164.312(b)", title: "Audit controls", factors: ["unrecorded_sessions"] },
    { id: "§164.312(d)", title: "Person or entity authentication", factors: ["missing_mfa"] },
    { id: "§164.310", title: "Physical safeguards", factors: [] },
  ],
  gdpr: [
    { id: "Art. 5(1)(f)", title: "Integrity and confidentiality", factors: ["exposed_secrets"] },
    { id: "Art. 25(2)", title: "Access is limited by default", factors: ["standing_access"] },
    {
      id: "Art. 32(1)(b)",
      title: "Ongoing confidentiality of processing systems",
      factors: ["missing_mfa", "unmanaged_privileged", "exposed_secrets"],
    },
    {
      id: "Art. 32(1)(d)",
      title: "Regular testing of the measures",
      factors: ["failed_verifications", "stale_passwords"],
    },
    { id: "Art. 30", title: "Records of processing activities", factors: [] },
  ],
  iso27001: [
    {
      id: "A.5.16",
      title: "Identity management",
      factors: ["unmanaged_privileged"],
      judgedBy: ["unmanaged_privileged", "shared_accounts"],
    },
    {
      id: "A.5.17",
      title: "Authentication information",
      factors: ["exposed_secrets", "shared_passwords", "stale_passwords"],
    },
    { id: "A.8.2", title: "Privileged access rights", factors: ["standing_access"] },
    { id: "A.8.5", title: "Secure authentication", factors: ["missing_mfa"] },
    { id: "A.8.15", title: "Logging", factors: ["unrecorded_sessions"] },
    {
      id: "A.8.24",
      title: "Use of cryptography",
      factors: ["exposed_secrets", "expiring_secrets"],
      judgedBy: ["exposed_keys", "certificates"],
    },
    { id: "A.7.1", title: "Physical security perimeters", factors: [] },
  ],
};

type AllFacts = Readonly<Partial<Record<ControlFact, Facts>>>;

/** The share of affected items, 0 to 1. Any open finding of high risk counts fully. */
const shareOf = ({ affected, total }: Facts): number =>
  total === null ? Math.min(1, affected) : Math.min(1, affected / Math.max(1, total));

const NOUNS: Readonly<Record<ControlFact, [singular: string, plural: string, problem: string]>> = {
  exposed_secrets: ["finding", "findings", "of high or critical risk open"],
  unmanaged_privileged: ["privileged account", "privileged accounts", "in no safe"],
  missing_mfa: ["user", "users", "without a second factor"],
  shared_passwords: ["account", "accounts", "with the same secret as another account"],
  stale_passwords: ["account", "accounts", "with an old password"],
  unrecorded_sessions: ["production session", "production sessions", "not recorded"],
  standing_access: ["account", "accounts", "with standing access"],
  failed_verifications: ["secret", "secrets", "that could not be verified"],
  expiring_secrets: ["secret", "secrets", "expired or expiring within 30 days"],
  certificates: ["certificate", "certificates", "expired, expiring within 30 days, weak or self-signed"],
  exposed_keys: ["finding", "findings", "of exposed keys open"],
  shared_accounts: ["finding", "findings", "of shared or service accounts open"],
};

/** Such as "3 of 12 users without a second factor". */
export function sentenceOf(id: ControlFact, { affected, total }: Facts): string {
  const [singular, plural, problem] = NOUNS[id];
  const noun = (total ?? affected) === 1 ? singular : plural;
  const format = (count: number): string => count.toLocaleString("en-US");
  return total === null
    ? `${format(affected)} ${noun} ${problem}`
    : `${format(affected)} of ${format(total)} ${noun} ${problem}`;
}

function judge(
  { id, title, factors, judgedBy = factors }: Control,
  facts: AllFacts,
): ComplianceControl & { share: number | null } {
  const assessed = judgedBy.filter((fact) => facts[fact]?.isAssessed === true);
  const base = { id, title, factors: [...factors] };
  if (factors.length === 0) {
    return { ...base, status: "not_assessed", evidence: "Needs evidence from outside this product.", share: null };
  }
  if (assessed.length === 0) {
    return { ...base, status: "not_assessed", evidence: "No data yet.", share: null };
  }
  const shares = assessed.map((fact) => shareOf(facts[fact]!));
  const share = Math.max(...shares);
  const status = share === 0 ? "met" : share >= 0.5 ? "not_met" : "partly_met";
  const evidence = `${assessed.map((fact) => sentenceOf(fact, facts[fact]!)).join("; ")}.`;
  return { ...base, status, evidence, share };
}

/** The score of each framework: the mean over its assessed controls of the share without a violation. */
export function complianceOf(facts: AllFacts): Record<ComplianceFramework, ComplianceScore> {
  const scores = Object.entries(CONTROLS).map(([framework, controls]) => {
    const judged = controls.map((control) => judge(control, facts));
    const shares = judged.flatMap(({ share }) => (share === null ? [] : [share]));
    const score =
      shares.length === 0
        ? null
        : Math.floor((100 * shares.reduce((sum, share) => sum + 1 - share, 0)) / shares.length);
    const violations = judged
      .filter(({ status }) => status === "partly_met" || status === "not_met")
      .map(({ id, title, evidence }) => `${id} ${title}: ${evidence}`);
    const shown = judged.map(({ id, title, status, factors, evidence }) => ({ id, title, status, factors, evidence }));
    return [framework, { score, status: statusOf(score), violations, controls: shown }] as const;
  });
  return Object.fromEntries(scores) as Record<ComplianceFramework, ComplianceScore>;
}

function statusOf(score: number | null): ComplianceScore["status"] {
  if (score === null) return "not_assessed";
  if (score === 100) return "compliant";
  return score >= 50 ? "partially_compliant" : "non_compliant";
}

// Tokens of providers that have a shape of their own: prefix, alphabet, length and, where published, a checksum.
import { crc32 } from "node:zlib";

export interface TokenShape {
  name: string;
  /** The whole token; anchored by the reader. */
  pattern: string;
  /** A literal that every token has, by which the text is searched. */
  prefix: string;
  /** The characters before the prefix. */
  before?: string;
  confidence?: number;
  hasValidChecksum?: (token: string) => boolean;
}

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** GitHub and npm: the last 6 characters are the CRC-32 of the rest after the prefix, in base 62. */
function hasCrc(token: string): boolean {
  const at = token.indexOf("_") + 1;
  let sum = crc32(token.slice(at, -6));
  let text = "";
  for (; sum > 0; sum = Math.floor(sum / 62)) text = BASE62[sum % 62]! + text;
  return token.slice(-6) === text.padStart(6, "0");
}

/** JSON Web Tokens have a header that is JSON with an algorithm. */
function isJwt(token: string): boolean {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split(".")[0]!, "base64url").toString());
    return typeof header === "object" && header !== null && "alg" in header;
  } catch {
    return false; // Not JSON: not a token.
  }
}

const shape = (name: string, prefix: string, rest: string, more: Partial<TokenShape> = {}): TokenShape => ({
  name,
  prefix,
  pattern: prefix.replace(/[.$()[\]/+*?|\\]/g, "\\$&") + rest,
  ...more,
});

export const TOKEN_SHAPES: readonly TokenShape[] = [
  ...["AKIA", "ASIA", "ABIA", "ACCA"].map((prefix) =>
    shape("aws-access-key", prefix, "[A-Z\\d]{16}", { confidence: 0.8 }),
  ),
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((prefix) =>
    shape("github-token", prefix, "[A-Za-z\\d]{36,255}", { hasValidChecksum: hasCrc }),
  ),
  shape("github-fine-grained-token", "github_pat_", "[A-Za-z\\d]{22}_[A-Za-z\\d]{59}"),
  ...["glpat-", "gldt-", "glrt-", "glptt-", "glsoat-", "glcbt-", "glimt-", "glagent-", "gloas-", "glft-"].map(
    (prefix) => shape("gitlab-token", prefix, "[\\w-]{20,300}(?:\\.[\\w.-]+)?"),
  ),
  ...["xoxb-", "xoxp-", "xoxa-", "xoxo-", "xoxs-", "xoxr-", "xoxe-", "xoxe.xox"].map((prefix) =>
    shape("slack-token", prefix, "[\\w.-]{20,300}"),
  ),
  shape("healthchecks-ping-url", "hc-ping.com/", "[\\da-f]{8}-(?:[\\da-f]{4}-){3}[\\da-f]{12}"),
  shape("slack-app-token", "xapp-", "\\d-[A-Z\\d]+-\\d+-[a-f\\d]+"),
  shape("slack-webhook", "hooks.slack.com/services/", "T[A-Z\\d]{6,12}/B[A-Z\\d]{6,12}/[A-Za-z\\d]{18,28}"),
  shape("slack-webhook", "hooks.slack.com/workflows/", "T[A-Z\\d]{6,12}/[\\w/-]{20,80}"),
  shape(
    "teams-webhook",
    "webhook.office.com/webhookb2/",
    "[\\da-f@-]{36,80}/IncomingWebhook/[\\da-f]{32}/[\\da-f-]{36}",
  ),
  shape("discord-webhook", "discord.com/api/webhooks/", "\\d{17,20}/[\\w-]{60,72}"),
  shape("discord-webhook", "discordapp.com/api/webhooks/", "\\d{17,20}/[\\w-]{60,72}"),
  ...["sk_live_", "rk_live_", "sk_test_", "rk_test_", "sk_prod_", "rk_prod_"].map((prefix) =>
    shape("stripe-key", prefix, "[A-Za-z\\d]{10,247}"),
  ),
  shape("stripe-webhook-secret", "whsec_", "[A-Za-z\\d+/=]{24,80}"),
  shape("google-api-key", "AIza", "[\\w-]{35}", { confidence: 0.85 }),
  shape("google-oauth-secret", "GOCSPX-", "[\\w-]{28}"),
  shape("google-oauth-token", "ya29.", "[\\w-]{30,400}"),
  shape("npm-token", "npm_", "[A-Za-z\\d]{36}", { hasValidChecksum: hasCrc }),
  shape("pypi-token", "pypi-AgE", "[\\w-]{50,400}"),
  shape("rubygems-token", "rubygems_", "[a-f\\d]{48}"),
  shape("nuget-key", "oy2", "[a-z\\d]{43}"),
  shape("crates-token", "cio", "[A-Za-z\\d]{32}", { confidence: 0.6 }),
  ...["dckr_pat_", "dckr_oat_"].map((prefix) => shape("docker-token", prefix, "[\\w-]{27,60}")),
  shape("huggingface-token", "hf_", "[A-Za-z\\d]{30,40}"),
  ...["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"].map((prefix) =>
    shape("openai-key", prefix, "[\\w-]{20,200}"),
  ),
  ...["sk-ant-api03-", "sk-ant-admin01-", "sk-ant-oat01-"].map((prefix) =>
    shape("anthropic-key", prefix, "[\\w-]{80,120}"),
  ),
  shape("openrouter-key", "sk-or-v1-", "[a-f\\d]{64}"),
  shape("openai-key", "sk-", "(?:[A-Za-z\\d]{20}T3BlbkFJ[A-Za-z\\d]{20}|[A-Za-z\\d]{32,64})", { confidence: 0.75 }),
  shape("sendgrid-key", "SG.", "[\\w-]{16,32}\\.[\\w-]{16,64}"),
  shape("mailgun-key", "key-", "[a-f\\d]{32}", { confidence: 0.8 }),
  shape("mailchimp-key", "-us", "\\d{1,2}", { before: "[a-f\\d]{32}" }),
  shape("twilio-key", "SK", "[a-f\\d]{32}", { confidence: 0.75 }),
  ...["shpat_", "shpca_", "shppa_", "shpss_", "shpat_"].map((prefix) =>
    shape("shopify-token", prefix, "[a-fA-F\\d]{32}"),
  ),
  ...["dop_v1_", "doo_v1_", "dor_v1_"].map((prefix) => shape("digitalocean-token", prefix, "[a-f\\d]{64}")),
  ...["hvs.", "hvb.", "hvr."].map((prefix) => shape("vault-token", prefix, "[\\w-]{20,300}")),
  shape("terraform-token", ".atlasv1.", "[\\w=-]{60,75}", { before: "[A-Za-z\\d]{14}" }),
  ...["glsa_", "glc_"].map((prefix) => shape("grafana-token", prefix, "[A-Za-z\\d_=+/]{32,400}")),
  shape("grafana-key", "eyJrIjoi", "[A-Za-z\\d+/]{50,400}={0,2}"),
  ...["NRAK-", "NRJS-", "NRAL-"].map((prefix) => shape("new-relic-key", prefix, "[A-Z\\d]{19,40}")),
  shape("linear-key", "lin_api_", "[A-Za-z\\d]{40}"),
  shape("postman-key", "PMAK-", "[a-f\\d]{24}-[a-f\\d]{34}"),
  shape("figma-token", "figd_", "[\\w-]{38,46}"),
  ...["ATATT3", "ATCTT3", "ATSTT3"].map((prefix) => shape("atlassian-token", prefix, "[\\w=-]{60,220}")),
  shape("bitbucket-password", "ATBB", "[A-Za-z\\d]{24,36}"),
  shape("brevo-key", "xkeysib-", "[a-f\\d]{64}-[A-Za-z\\d]{16}"),
  shape("brevo-key", "xsmtpsib-", "[a-f\\d]{64}-[A-Za-z\\d]{16}"),
  ...["sntrys_", "sntryu_"].map((prefix) => shape("sentry-token", prefix, "[\\w=+/-]{40,400}")),
  ...["pscale_tkn_", "pscale_pw_", "pscale_oauth_"].map((prefix) =>
    shape("planetscale-token", prefix, "[\\w.=-]{32,64}"),
  ),
  shape("pulumi-token", "pul-", "[a-f\\d]{40}"),
  shape("age-key", "AGE-SECRET-KEY-1", "[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
  shape("databricks-token", "dapi", "[a-f\\d]{32}(?:-\\d)?"),
  shape("telegram-token", ":AA", "[\\w-]{33}", { before: "\\d{8,10}" }),
  shape("tailscale-key", "tskey-", "[a-z]+-[\\w-]{10,80}"),
  ...["sq0atp-", "sq0csp-", "EAAAE"].map((prefix) => shape("square-token", prefix, "[\\w-]{22,80}")),
  ...["rzp_live_", "rzp_test_"].map((prefix) =>
    shape("razorpay-key", prefix, "[A-Za-z\\d]{14,24}", { confidence: 0.7 }),
  ),
  ...["FLWSECK-", "FLWSECK_TEST-"].map((prefix) => shape("flutterwave-key", prefix, "[\\w-]{12,60}")),
  shape("circleci-token", "CCIPAT_", "[\\w]{20,80}"),
  shape("1password-token", "ops_eyJ", "[\\w+/=-]{200,1200}"),
  ...["sqp_", "squ_", "sqa_"].map((prefix) => shape("sonarqube-token", prefix, "[\\da-f]{40}")),
  shape("netlify-token", "nfp_", "[A-Za-z\\d]{36,60}"),
  ...["fo1_", "fm2_"].map((prefix) => shape("fly-token", prefix, "[\\w+/=-]{40,800}")),
  shape("heroku-key", "HRKU-", "[\\w-]{30,64}"),
  shape("alibaba-access-key", "LTAI", "[A-Za-z\\d]{12,24}", { confidence: 0.8 }),
  shape("tencent-secret-id", "AKID", "[A-Za-z\\d]{32}", { confidence: 0.8 }),
  shape("dynatrace-token", "dt0c01.", "[A-Z\\d]{24}\\.[A-Z\\d]{64}"),
  shape("notion-token", "ntn_", "[A-Za-z\\d]{40,50}"),
  shape("langsmith-key", "lsv2_", "(?:pt|sk)_[a-f\\d]{32}_[a-f\\d]{10}"),
  shape("groq-key", "gsk_", "[A-Za-z\\d]{52}"),
  shape("replicate-token", "r8_", "[A-Za-z\\d]{37}"),
  shape("xai-key", "xai-", "[A-Za-z\\d]{70,90}"),
  shape("perplexity-key", "pplx-", "[A-Za-z\\d]{40,60}"),
  shape("posthog-key", "phx_", "[A-Za-z\\d]{40,50}"),
  shape("supabase-token", "sbp_", "[a-f\\d]{40}"),
  ...["dp.pt.", "dp.st.", "dp.ct.", "dp.sa."].map((prefix) =>
    shape("doppler-token", prefix, "(?:[\\w-]{2,35}\\.)?[A-Za-z\\d]{40,44}"),
  ),
  shape("sourcegraph-token", "sgp_", "(?:[a-fA-F\\d]{16}|local)?_?[a-fA-F\\d]{40}"),
  shape("buildkite-token", "bkua_", "[a-f\\d]{40}"),
  shape("easypost-key", "EZAK", "[A-Za-z\\d]{54}"),
  shape("duffel-token", "duffel_", "(?:test|live)_[\\w=-]{43}"),
  shape("shippo-token", "shippo_", "(?:test|live)_[a-f\\d]{40}"),
  shape("readme-key", "rdme_", "[a-z\\d]{70}"),
  shape("prefect-key", "pnu_", "[A-Za-z\\d]{36}"),
  shape("clojars-token", "CLOJARS_", "[a-z\\d]{60}"),
  shape("contentful-token", "CFPAT-", "[\\w-]{43}"),
  shape("cloudflare-origin-key", "v1.0-", "[a-f\\d]{24}-[a-f\\d]{146}"),
  shape("azure-client-secret", "8Q~", "[\\w~.-]{31,34}", { before: "[\\w~.-]{3}" }),
  shape("artifactory-key", "AKC", "[A-Za-z\\d]{60,80}", { confidence: 0.85 }),
  shape("artifactory-token", "cmVmdGtu", "[A-Za-z\\d]{56}"),
  shape("swarm-token", "token://", "[a-f\\d]{32}"),
  shape("etcd-discovery", "discovery.etcd.io/", "[a-f\\d]{32}"),
  // A private key in PEM, encoded again.
  ...["BSU0EgUFJJVkFURSBLRVk", "BQUklWQVRFIEtFWS", "BFQyBQUklWQVRFIEtFWS", "BPUEVOU1NIIFBSSVZBVEUgS0VZ"].map((label) =>
    shape("encoded-private-key", `LS0tLS1CRUdJTi${label}`, "[A-Za-z\\d+/]{60,8000}={0,2}"),
  ),
  shape("json-web-token", "eyJ", "[\\w-]{10,2000}\\.eyJ[\\w-]{10,4000}\\.[\\w-]{10,1000}", {
    hasValidChecksum: isJwt,
    confidence: 0.75,
  }),
];

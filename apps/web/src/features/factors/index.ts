// Second factors, as other features show them.
export { FactorsCard } from "./factors-card.tsx";

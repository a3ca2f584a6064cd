export const assertMeetsDefinition = (..._: unknown[]): void => {}

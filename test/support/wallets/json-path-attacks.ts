/** JSON paths that are programs: each one worked on an agent with static-eval 2, before any signature was checked. */

/** By their effect; `program` is JavaScript. */
export const scriptPaths = (program: string): [name: string, path: string][] => {
  // The prototype of this object is a function, and so is the constructor that it inherits.
  const run = `({__proto__:''.sub}).constructor(${JSON.stringify(program)})()`
  return [
    ['runs a program in a filter', `$[?(${run})]`],
    ['runs a program in a filter of all descendants', `$..[?(${run})]`],
    ['runs a program in a script', `$[(${run})]`],
    // Every awaited value is asked for its `then`.
    ['breaks every promise', "$[?(({}).__proto__.__defineGetter__('then',[].reduce))]"],
  ]
}

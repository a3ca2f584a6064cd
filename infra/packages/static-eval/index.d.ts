declare const refuse: (syntaxTree: unknown) => never
export = refuse

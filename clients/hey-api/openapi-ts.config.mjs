// Node needs the endings of files in imports.
export default { output: { path: "generated", importFileExtension: ".js" } };

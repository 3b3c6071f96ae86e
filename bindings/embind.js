// In place of embind's JS library (Emscripten's src/embind). All that is bound are functions of numbers, which wasm converts
// itself: so JS gets them as they are. What embind puts in front of each takes time at every call, and a tenth of the
// package. Types are for TypeScript alone, and the library that writes those down stays as it is.
if (!("$moduleDefinitions" in LibraryManager.library)) {
  addToLibrary({
    _embind_register_function__deps: ["$wasmTable"],
    _embind_register_function: (nameAt, _count, _types, _signature, _invoker, at) => {
      let name = "";
      while (HEAPU8[nameAt]) name += String.fromCharCode(HEAPU8[nameAt++]);
      Module[name] = wasmTable.get(at);
    },

    _embind_register_void__deps: [],
    _embind_register_void: () => {},
    _embind_register_bool__deps: [],
    _embind_register_bool: () => {},
    _embind_register_integer__deps: [],
    _embind_register_integer: () => {},
    _embind_register_float__deps: [],
    _embind_register_float: () => {},
  });
}

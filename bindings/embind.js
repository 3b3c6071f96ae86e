// In place of parts of embind's JS library (Emscripten's src/embind): what the bindings never use is left out. Here no
// class has a base or an overload, no pointer is smart, handles are neither copied nor compared, and no type is left
// unbound (the build would tell). It makes the glue a third smaller. An Emscripten that has other names for these
// takes its own.
addToLibrary({
  $ClassHandle__deps: ["$init_ClassHandle"],
  $ClassHandle__postset: "init_ClassHandle()",
  // biome-ignore lint/complexity/useArrowFunction: it has a prototype
  $ClassHandle: function () {},

  $init_ClassHandle__deps: ["$ClassHandle"],
  $init_ClassHandle: () => {
    ClassHandle.prototype.delete = function () {
      var $$ = this.$$;
      this.$$ = { ptrType: $$.ptrType };
      $$.ptrType.registeredClass.rawDestructor($$.ptr);
    };
  },

  $makeClassHandle__deps: [],
  $makeClassHandle: (prototype, record) => {
    var handle = Object.create(prototype);
    handle.$$ = record;
    return handle;
  },

  $RegisteredPointer_fromWireType__deps: ["$makeClassHandle"],
  $RegisteredPointer_fromWireType: function (ptr) {
    return ptr ? makeClassHandle(this.registeredClass.instancePrototype, { ptrType: this, ptr }) : null;
  },

  $nonConstNoSmartPtrRawPointerToWireType__deps: ["$throwBindingError"],
  $nonConstNoSmartPtrRawPointerToWireType: function (_destructors, handle) {
    // Null is for pointers; nothing here takes one.
    if (handle.$$.ptrType.registeredClass !== this.registeredClass || !handle.$$.ptr) {
      throwBindingError(`not a ${this.name}`);
    }
    return handle.$$.ptr;
  },
  $constNoSmartPtrRawPointerToWireType__deps: ["$nonConstNoSmartPtrRawPointerToWireType"],
  $constNoSmartPtrRawPointerToWireType: function (destructors, handle) {
    return nonConstNoSmartPtrRawPointerToWireType.call(this, destructors, handle);
  },
  $ensureOverloadTable__deps: [],
  $ensureOverloadTable: () => {},

  $exposePublicSymbol__deps: ["$ensureOverloadTable"],
  $exposePublicSymbol: (name, value) => {
    Module[name] = value;
  },
  $replacePublicSymbol__deps: [],
  $replacePublicSymbol: (name, value) => {
    Module[name] = value;
  },

  // Names in stack traces alone.
  $createNamedFunction__postset: "",
  $createNamedFunction: (_name, body) => body,
  $makeLegalFunctionName__deps: [],
  $makeLegalFunctionName: (name) => name,

  $init_RegisteredPointer__deps: ["$RegisteredPointer", "$RegisteredPointer_fromWireType"],
  $init_RegisteredPointer: () => {
    RegisteredPointer.prototype.fromWireType = RegisteredPointer_fromWireType;
  },
  $RegisteredPointer__deps: [
    "$constNoSmartPtrRawPointerToWireType",
    "$nonConstNoSmartPtrRawPointerToWireType",
    "$init_RegisteredPointer",
  ],
  $RegisteredPointer__postset: "init_RegisteredPointer()",
  $RegisteredPointer: function (name, registeredClass, _isReference, isConst) {
    this.name = name;
    this.registeredClass = registeredClass;
    this.toWireType = isConst ? constNoSmartPtrRawPointerToWireType : nonConstNoSmartPtrRawPointerToWireType;
    this.destructorFunction = null;
  },

  // Nothing is read out of memory.
  $integerReadValueFromPointer: () => {},
  $floatReadValueFromPointer: () => {},

  $throwUnboundTypeError__deps: ["$throwBindingError"],
  $throwUnboundTypeError: (message) => {
    throwBindingError(message);
  },
});

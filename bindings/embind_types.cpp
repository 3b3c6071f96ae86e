#include <emscripten/bind.h>

#include <limits>

/// What embind's own library would bring, for the types that the bindings use and no others. The library
/// registers every type that it knows, strings and memory views among them: with their conversions in JS, and
/// what of libc they need, that was a sixth of the package and a good part of its start. The linker takes the
/// library's functions only for want of these.
namespace {

emscripten::internal::InitFunc* bindings = nullptr;

}  // namespace

extern "C" {

void _embind_register_bindings(emscripten::internal::InitFunc* binding) {
  binding->next = bindings;
  bindings = binding;
}

void _embind_initialize_bindings() {
  for (auto* binding = bindings; binding != nullptr; binding = binding->next) binding->init_func();
}

/// Asked for the names of types that nobody has registered: every build would tell of them when it makes the
/// types of the bindings.
const char* __getTypeName(const std::type_info* /*type*/) { return nullptr; }

}  // extern "C"

EMSCRIPTEN_BINDINGS(types) {
  using namespace emscripten::internal;
  using std::numeric_limits;

  _embind_register_void(TypeID<void>::get(), "void");
  _embind_register_bool(TypeID<bool>::get(), "bool", true, false);
  _embind_register_integer(TypeID<int32_t>::get(), "int", sizeof(int32_t), numeric_limits<int32_t>::min(),
                           numeric_limits<int32_t>::max());
  _embind_register_integer(TypeID<uint32_t>::get(), "unsigned int", sizeof(uint32_t), 0,
                           numeric_limits<uint32_t>::max());
  _embind_register_float(TypeID<double>::get(), "double", sizeof(double));
}

// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <map>
#include <string>

#include <fmt/format.h>

#include "accel/gpu/device/compiler.hpp"
#include "accel/gpu/device/device.hpp"
#include "accel/gpu/device/shared_object.hpp"
#include "libfhe/error.hpp"

namespace fhe::gpu {

namespace {

// The functions of CUDA's driver that are used here, as its reference documents them. Everything
// runs in the default stream of the context, which keeps the order of all threads' calls.
struct Driver {
  using Context = struct OpaqueContext*;
  using Module = struct OpaqueModule*;
  using Function = struct OpaqueFunction*;
  using Stream = struct OpaqueStream*;
  using Pool = struct OpaquePool*;
  using Pointer = unsigned long long;

  static constexpr int kOutOfMemory = 2;
  static constexpr int kComputeMajor = 75;  // attributes of a device
  static constexpr int kComputeMinor = 76;
  static constexpr int kReleaseThreshold = 4;  // of a pool

  Driver() : library("driver of an NVIDIA card", {"libcuda.so.1"}) {
    library.find(init, "cuInit");
    library.find(error_string, "cuGetErrorString");
    library.find(driver_version, "cuDriverGetVersion");
    library.find(device_get, "cuDeviceGet");
    library.find(device_count, "cuDeviceGetCount");
    library.find(device_name, "cuDeviceGetName");
    library.find(device_attribute, "cuDeviceGetAttribute");
    library.find(device_memory, "cuDeviceTotalMem_v2");
    library.find(device_pool, "cuDeviceGetDefaultMemPool");
    library.find(pool_set, "cuMemPoolSetAttribute");
    library.find(context_retain, "cuDevicePrimaryCtxRetain");
    library.find(context_release, "cuDevicePrimaryCtxRelease_v2");
    library.find(context_set, "cuCtxSetCurrent");
    library.find(module_load, "cuModuleLoadData");
    library.find(module_unload, "cuModuleUnload");
    library.find(module_function, "cuModuleGetFunction");
    library.find(allocate, "cuMemAllocAsync");
    library.find(free, "cuMemFreeAsync");
    library.find(set_words, "cuMemsetD32Async");
    library.find(copy_in, "cuMemcpyHtoD_v2");
    library.find(copy_out, "cuMemcpyDtoH_v2");
    library.find(launch, "cuLaunchKernel");
    require(init(0), "starting the driver");
  }

  void require(int status, const char* what) const {
    if (status == 0) return;
    const char* text = nullptr;
    error_string(status, &text);
    throw Error(status == kOutOfMemory ? ErrorCode::out_of_memory : ErrorCode::io,
                fmt::format("{} failed on the GPU: {} (CUDA error {})", what,
                            text == nullptr ? "unknown" : text, status));
  }

  SharedObject library;
  int (*init)(unsigned) = nullptr;
  int (*error_string)(int, const char**) = nullptr;
  int (*driver_version)(int*) = nullptr;
  int (*device_get)(int*, int) = nullptr;
  int (*device_count)(int*) = nullptr;
  int (*device_name)(char*, int, int) = nullptr;
  int (*device_attribute)(int*, int, int) = nullptr;
  int (*device_memory)(std::size_t*, int) = nullptr;
  int (*device_pool)(Pool*, int) = nullptr;
  int (*pool_set)(Pool, int, void*) = nullptr;
  int (*context_retain)(Context*, int) = nullptr;
  int (*context_release)(int) = nullptr;
  int (*context_set)(Context) = nullptr;
  int (*module_load)(Module*, const void*) = nullptr;
  int (*module_unload)(Module) = nullptr;
  int (*module_function)(Function*, Module, const char*) = nullptr;
  int (*allocate)(Pointer*, std::size_t, Stream) = nullptr;
  int (*free)(Pointer, Stream) = nullptr;
  int (*set_words)(Pointer, unsigned, std::size_t, Stream) = nullptr;
  int (*copy_in)(Pointer, const void*, std::size_t) = nullptr;
  int (*copy_out)(void*, Pointer, std::size_t) = nullptr;
  int (*launch)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                Stream, void**, void**) = nullptr;
};

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int number) {
    int count = 0;
    driver_.require(driver_.device_count(&count), "counting the cards");
    if (number >= count) {
      throw Error(
          ErrorCode::unsupported,
          fmt::format("there is no card {}: the driver knows {}, counted from 0", number, count));
    }
    driver_.require(driver_.device_get(&device_, number), "finding the card");
    driver_.require(driver_.device_memory(&memory_bytes_, device_), "asking for its memory");
    driver_.require(driver_.context_retain(&context_, device_), "opening the card");
    try {
      load();
    } catch (...) {
      driver_.context_release(device_);
      throw;
    }
  }
  ~CudaDevice() override {
    if (driver_.context_set(context_) == 0) driver_.module_unload(module_);
    driver_.context_release(device_);
  }

  [[nodiscard]] std::string description() const override {
    std::string name(128, '\0');
    driver_.require(driver_.device_name(name.data(), static_cast<int>(name.size()), device_),
                    "asking for its name");
    int version = 0;
    driver_.require(driver_.driver_version(&version), "asking for the driver's version");
    return fmt::format("{}, {}, {:.0f} GiB, driver for CUDA {}.{}", name.c_str(), architecture(),
                       static_cast<double>(memory_bytes_) / 0x1p30, version / 1000,
                       version % 1000 / 10);
  }
  [[nodiscard]] std::size_t memory_bytes() const override { return memory_bytes_; }

  [[nodiscard]] Word allocate(std::size_t words) override {
    enter();
    Driver::Pointer address = 0;
    driver_.require(
        driver_.allocate(&address, std::max<std::size_t>(words, 1) * sizeof(Word), nullptr),
        "allocating memory");
    return address;
  }
  void free(Word address, std::size_t words) noexcept override {
    if (driver_.context_set(context_) != 0) return;  // the card is lost, and its memory
    driver_.set_words(address, 0, words * sizeof(Word) / sizeof(std::uint32_t), nullptr);
    driver_.free(address, nullptr);
  }

  void put(Word address, std::span<const Word> words) override {
    enter();
    driver_.require(driver_.copy_in(address, words.data(), words.size_bytes()), "copying to it");
  }
  void get(std::span<Word> words, Word address) override {
    enter();
    driver_.require(driver_.copy_out(words.data(), address, words.size_bytes()), "copying from it");
  }

  void launch(const Kernel& kernel, unsigned blocks, const LaunchArguments& arguments) override {
    enter();
    LaunchArguments passed = arguments;
    void* parameters[] = {&passed};
    driver_.require(driver_.launch(functions_.at(kernel.name), blocks, 1, 1, kernel.threads, 1, 1,
                                   0, nullptr, parameters, nullptr),
                    kernel.name);
  }

 private:
  // A thread knows its context.
  void enter() const { driver_.require(driver_.context_set(context_), "entering its context"); }

  [[nodiscard]] std::string architecture() const {
    int major = 0;
    int minor = 0;
    driver_.require(driver_.device_attribute(&major, Driver::kComputeMajor, device_),
                    "asking for its architecture");
    driver_.require(driver_.device_attribute(&minor, Driver::kComputeMinor, device_),
                    "asking for its architecture");
    return fmt::format("sm_{}{}", major, minor);
  }

  void load() {
    enter();
    // What is freed stays with the process: most of it is needed again at once.
    Driver::Pool pool = nullptr;
    std::uint64_t all = ~std::uint64_t{0};
    driver_.require(driver_.device_pool(&pool, device_), "finding its pool of memory");
    driver_.require(driver_.pool_set(pool, Driver::kReleaseThreshold, &all),
                    "setting up its pool of memory");
    const std::vector<char> code = compiled_kernels(architecture());
    driver_.require(driver_.module_load(&module_, code.data()), "loading the kernels");
    for (const Kernel& kernel : kKernels) {
      driver_.require(driver_.module_function(&functions_[kernel.name], module_, kernel.name),
                      "finding a kernel");
    }
  }

  Driver driver_;
  int device_ = 0;
  std::size_t memory_bytes_ = 0;
  Driver::Context context_ = nullptr;
  Driver::Module module_ = nullptr;
  std::map<std::string, Driver::Function, std::less<>> functions_;
};

}  // namespace

DevicePtr cuda_device(int number) {
  return std::make_shared<CudaDevice>(number);
}

}  // namespace fhe::gpu
